#pragma once

#include "kmux/error.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace kmux::cpu::spmd {

/// A new function that does for a whole warp of `lanes` threads what `kernel`, whose control flow is structured, does for one.
/// What is the same in all lanes stays as it is; else a value is a vector with an element a lane, and a region for which lanes
/// part runs, if any lane is for it, with the others masked. With more than one of `warps`, for that many in step: each
/// instruction for all of them before the next one, but once what is the same for all. `kernel` stays.
///
/// Errors: unsupported for control flow that is not structured.
Result<llvm::Function*> widen(llvm::Function& kernel, unsigned lanes, unsigned warps,
                              llvm::FunctionAnalysisManager& analyses);

}  // namespace kmux::cpu::spmd
