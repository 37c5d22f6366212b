#pragma once

#include "llvm/IR/PassManager.h"

// Passes of ours in LLVM's pipeline.
namespace kmux::cpu {

/// Where the number of the iteration decides what a loop does, `for (i = 0; i < n; ++i) if (i < m) A; else B;`, makes two loops
/// of it, one up to m and one from there, neither of which asks. A vectoriser would compute both sides, masked.
struct SplitLoops : llvm::PassInfoMixin<SplitLoops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// What is stored of a vector's integers piece by piece, by shifting, truncating and interleaving, is stored as it is, if the
/// pieces are all there and in the order of memory. So the vectoriser leaves loops that take integers apart into bytes.
struct JoinBytes : llvm::PassInfoMixin<JoinBytes> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// What a mask that is known lets through of memory, if it is the first elements, is as many elements without a mask: a
/// processor hands what has just been stored to a load that is not wider.
struct NarrowMasks : llvm::PassInfoMixin<NarrowMasks> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kmux::cpu
