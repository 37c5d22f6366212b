#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"
#include "simt/analysis/block_shape.h"

namespace kmux::simt {

/// Forwards stores of `warp` to shared memory to later loads, and erases stores that no load reads. Does nothing unless
/// all warps of a block of `shape` run in lockstep. LLVM does not erase them: it must assume that the caller owns the
/// memory and reads it.
class SharedForwardingPass : public llvm::PassInfoMixin<SharedForwardingPass> {
 public:
  explicit SharedForwardingPass(BlockShape shape) : shape_(shape) {}
  llvm::PreservedAnalyses run(llvm::Function& warp, llvm::FunctionAnalysisManager& analyses);

 private:
  BlockShape shape_;
};

}  // namespace kmux::simt
