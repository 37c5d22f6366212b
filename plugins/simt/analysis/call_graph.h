#pragma once

#include <span>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"

namespace kmux::simt {

/// Visits the functions that `value`, an operand, names directly or in the initial value of a variable (a table, a
/// vtable).
void for_each_named(llvm::Value& value, llvm::function_ref<void(llvm::Function&)> visit);

/// Marks the functions whose address is taken in `kernels` or their callees: the possible targets of indirect calls.
/// `kernels` must be all of a program.
void mark_pointed(std::span<llvm::Function* const> kernels);

/// Returns `kernels` and the functions with a body that they and their callees refer to. After mark_pointed, the result
/// includes the possible targets of their indirect calls.
std::vector<llvm::Function*> functions_of(std::span<llvm::Function* const> kernels);

/// Returns those of `functions` that are recursive, directly or through other functions. `functions` must be all that
/// functions_of returns for some kernels.
std::vector<llvm::Function*> recursive_functions(std::span<llvm::Function* const> functions);

}  // namespace kmux::simt
