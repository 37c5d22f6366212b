#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"
#include "simt/analysis/block_shape.h"

namespace kmux::simt {

/// Prefetches memory for the grid-stride loops of `warp`, vectorized for a block of `shape`, once a loop has covered
/// more than caches hold. The first such loop that a block enters before it writes its own memory also gets calls of
/// call::kTurn.
class PrefetchPass : public llvm::PassInfoMixin<PrefetchPass> {
 public:
  explicit PrefetchPass(BlockShape shape) : shape_(shape) {}
  llvm::PreservedAnalyses run(llvm::Function& warp, llvm::FunctionAnalysisManager& analyses);

 private:
  BlockShape shape_;
};

/// Prefetches a value of `type` at `address`, line by line, into the second-level cache.
void prefetch(llvm::IRBuilder<>& builder, llvm::Value* address, llvm::Type& type);

}  // namespace kmux::simt
