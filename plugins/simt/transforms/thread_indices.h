#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"
#include "simt/analysis/block_shape.h"

namespace kmux::simt {

/// Returns the warp size, 32 or 64, that the lane exchanges and warp barriers of `kernel` assume; 0 if it has none.
unsigned seen_warp(const llvm::Function& kernel);

/// Erases warp barriers and their participant masks, once the warp size is known.
struct EraseWarpBarriersPass : llvm::PassInfoMixin<EraseWarpBarriersPass> {
  llvm::PreservedAnalyses run(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);
};

/// Replaces the thread index in `kernel` by warp index and lane. In a partial warp, only the threads that exist run the
/// body.
class ThreadIndicesPass : public llvm::PassInfoMixin<ThreadIndicesPass> {
 public:
  explicit ThreadIndicesPass(BlockShape shape) : shape_(shape) {}
  llvm::PreservedAnalyses run(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

 private:
  BlockShape shape_;
};

}  // namespace kmux::simt
