#pragma once

#include <vector>

#include "kmux/error.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "simt/analysis/block_shape.h"
#include "simt/check/check_options.h"
#include "simt/frontend/job.h"

namespace kmux::simt {

/// Runs all passes that make kernels run on grids. Each of `kernels` must be written for one thread of a GPU. A function
/// of the same name that runs a grid of blocks on this processor replaces it. Kernels that cannot be vectorized run with
/// one fiber per thread; with `check`, all do (check/fiber_kernels.h). Returns the reason for each kernel that cannot be
/// vectorized.
///
/// Errors: unsupported for code that cannot run here, named; the caller must not use the module then.
Result<std::vector<Error>> lower_kernels(llvm::Module& module, const BlockExtents& kernels, const CheckOptions& check);

/// Runs LLVM's pipeline of -O`opt_level` over `module`; in the fast tier a short one, unless `opt_level` is 0. With
/// `of_threads` there is no SLP vectorization: such kernels use vectors already. Only addresses would be left to
/// vectorize, and loads wait for them.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, unsigned opt_level, Tier tier, bool of_threads);

}  // namespace kmux::simt
