#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace kmux::simt {

/// Splits a loop with a branch on the iteration number, `for (i = 0; i < n; ++i) if (i < m) A; else B;`, into one loop
/// up to m and one from m on. Neither has the branch. A vectoriser would compute both sides, masked.
struct SplitLoopsPass : llvm::PassInfoMixin<SplitLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kmux::simt
