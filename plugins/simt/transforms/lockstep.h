#pragma once

#include "kmux/error.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"
#include "simt/analysis/block_shape.h"

namespace kmux::simt {

/// Returns true if lockstep may pay off: the block has several warps, and the kernel a loop or a barrier. Must be
/// called before any other work on the lockstep form.
bool may_run_in_lockstep(llvm::Function& kernel, const BlockShape& shape);

/// Returns the number of warps of `kernel`, structurized for lockstep, to run in lockstep: fewer if they need more
/// code. Returns 1 if lockstep does not pay off, or a barrier is in divergent code.
///
/// Errors: unsupported for control flow that is not structured.
Result<unsigned> lockstep_warps(llvm::Function& kernel, const BlockShape& shape,
                                llvm::FunctionAnalysisManager& analyses);

}  // namespace kmux::simt
