#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"
#include "simt/analysis/block_shape.h"

namespace kmux::simt {

/// Inserts a barrier where all threads of a block of `shape` read one place of shared memory that `kernel` then writes
/// with no barrier between. Applies where not all warps run in lockstep; `kernel` must be structurized. Warns of races
/// that are certain.
class BroadcastBarriersPass : public llvm::PassInfoMixin<BroadcastBarriersPass> {
 public:
  explicit BroadcastBarriersPass(BlockShape shape) : shape_(shape) {}
  llvm::PreservedAnalyses run(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses);

 private:
  BlockShape shape_;
};

}  // namespace kmux::simt
