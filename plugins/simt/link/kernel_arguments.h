#pragma once

#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "simt/frontend/job.h"

namespace kmux::simt {

/// Checks that the launches of `job` pass the arguments that its kernels take, as Clang has compiled them. Skips
/// kernels that are missing.
///
/// Errors: invalid_argument that names the kernel and shows both.
Status check_passed(const llvm::Module& units, const CompileJob& job);

/// Returns the number of parameters, from `argument` on, that are one of the source: a record by value may have
/// several.
unsigned record_parts(const llvm::Argument& argument);
/// Returns the size in bytes of the record by value of which `argument` is all or the first part; 0 if it is not one.
unsigned source_bytes(const llvm::Argument& argument);
/// Returns the alignment of that record.
llvm::Align source_alignment(const llvm::Argument& argument);

/// Returns for each parameter of `kernel` the size in bytes of the record by value that it passes in registers; 0 for
/// others. Returns an empty list if `kernel` is null.
std::vector<unsigned> record_bytes(const llvm::Function* kernel);

/// Returns true if calls of `declared` can become calls of `kernel`, whose last parameters are `records` in its source.
bool can_call(const llvm::Function& declared, const llvm::Function& kernel, const std::vector<unsigned>& records);

/// Changes the calls of `declared` to the parameter types of `taken`. `can_call` must be true for the two.
void adapt_calls(llvm::Function& declared, llvm::FunctionType& taken);

/// Renames each constant of a program to `constant_symbol`, the variable that points to it (compile_job.cpp). From here
/// on the constant is visible to the linker: a value that is set from outside must not be folded.
///
/// Errors: compile_failed if the sources do not define it; invalid_argument if it is const or has another size.
Status name_constants(llvm::Module& module, const std::vector<Constant>& constants);

}  // namespace kmux::simt
