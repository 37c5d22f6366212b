#pragma once

#include "kmux/error.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"
#include "spmd/block_shape.h"

namespace kmux::cpu::spmd {

/// Can it be of use that warps run in step? There are several, and a loop or a barrier. Asked before anything is done for it.
bool may_run_in_step(llvm::Function& kernel, const BlockShape& shape);

/// How many warps of `kernel`, structured for warps in step, are to run in step: fewer the more code that makes. 1: none,
/// since it is of no use, or a barrier stands where warps part.
///
/// Errors: unsupported for control flow that is not structured.
Result<unsigned> warps_in_step(llvm::Function& kernel, const BlockShape& shape,
                               llvm::FunctionAnalysisManager& analyses);

}  // namespace kmux::cpu::spmd
