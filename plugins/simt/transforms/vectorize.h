#pragma once

#include "kmux/error.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace kmux::simt {

/// Returns a new function that runs a warp of `lanes` threads of `kernel`, whose control flow must be structured.
/// Uniform values stay scalars; other values are vectors with an element per lane. A divergent region runs if any lane
/// takes it, with the other lanes masked. With several `warps`, these run in lockstep: each instruction runs for all of
/// them before the next one. Instructions that are uniform across warps run once. `kernel` is kept.
///
/// Errors: unsupported for control flow that is not structured.
Result<llvm::Function*> vectorize(llvm::Function& kernel, unsigned lanes, unsigned warps,
                                  llvm::FunctionAnalysisManager& analyses);

}  // namespace kmux::simt
