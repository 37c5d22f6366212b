#pragma once

#include <string>

#include "kmux/error.h"

#include "engine/compiler.h"
#include "llvm/IR/Module.h"

namespace kmux::cpu {

/// Gives the kernels that `job` launches on grids the names that it has for them. A name that is an expression is that of the
/// function which a variable of the sources points to (builder.cpp); any other is found as kmux/plugin/kernel_names.h says. What is
/// not found, or is found twice, has no function of that name then.
void name_kernels(llvm::Module& module, const CompileJob& job);

/// The error for a `kernel` that no function of `units` has as its name: why, of those that run `on_grid` or of C's, and what
/// would help.
Error no_kernel(const llvm::Module& units, const std::string& kernel, bool on_grid);

}  // namespace kmux::cpu
