#pragma once

#include <string>

#include "kmux/error.h"

#include "llvm/IR/Module.h"
#include "simt/frontend/job.h"

namespace kmux::simt {

/// Renames the kernels that `job` launches on grids to the names that it has for them. A name that is an expression
/// means the function to which a variable of the sources points (compile_job.cpp). Any other name is resolved as in
/// kmux/plugin/kernel_names.h. No function gets a name that is missing or ambiguous.
void name_kernels(llvm::Module& module, const CompileJob& job);

/// Returns the error for a `kernel` that no function of `units` is named, with the reason and advice. `on_grid` must be
/// true for kernels that run on grids, false for C functions.
Error no_kernel(const llvm::Module& units, const std::string& kernel, bool on_grid);

}  // namespace kmux::simt
