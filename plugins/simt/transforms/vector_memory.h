#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace kmux::simt {

/// Stores a vector of integers directly if the code stores its pieces, made by shifting, truncating and interleaving.
/// All pieces must be stored, in the order of memory. The vectoriser produces such code for loops that split integers
/// into bytes.
struct JoinBytesPass : llvm::PassInfoMixin<JoinBytesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Replaces a masked access whose mask is constant and covers the first elements by a shorter access without a mask. A
/// processor forwards a store only to a load that is not wider.
struct NarrowMasksPass : llvm::PassInfoMixin<NarrowMasksPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace kmux::simt
