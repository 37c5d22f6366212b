#pragma once

#include "kmux/error.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace kmux::cpu::spmd {

/// Brings the control flow of `kernel` into the form that `widen` takes: where lanes part, one branch goes to a region with
/// one entry and one exit and the other one to that exit; a loop that lanes leave one after another is left from its end alone.
/// Scalars instead of memory before that, constant loops unrolled. `in_step`: for the lanes of several warps in step.
void structure(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses, bool in_step);

/// Doubles what lanes part for, outermost: where all lanes go the same way, nothing need be masked. A loop runs so until the
/// first lane leaves it.
/// Errors: unsupported as `widen`.
Status add_fast_paths(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

}  // namespace kmux::cpu::spmd
