#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"
#include "simt/analysis/block_shape.h"

namespace kmux::simt {

/// Prefetches the tiles that a loop with barriers reads, an iteration ahead, where their stride is too large for a
/// hardware prefetcher. Applies to `warp` vectorized for a block of `shape` whose warps all run in lockstep. Tiles that
/// are the same for all blocks of a grid column are packed contiguously by the first of them, at call::kPacked. The
/// others read them there. Shared memory that copies data common to the blocks of a row is kept likewise, at
/// call::kKept.
class TilePrefetchPass : public llvm::PassInfoMixin<TilePrefetchPass> {
 public:
  explicit TilePrefetchPass(BlockShape shape) : shape_(shape) {}
  llvm::PreservedAnalyses run(llvm::Function& warp, llvm::FunctionAnalysisManager& analyses);

 private:
  BlockShape shape_;
};

/// Marks `memory`, which must have tiles_bytes(has_rows), as empty at the beginning of a launch.
void begin_tiles(llvm::IRBuilder<>& builder, llvm::Value* memory, bool has_rows);
/// Resets `tiles` for `owner` if they belong to another owner. `is_shared`: true if another block reads them.
void own_tiles(llvm::IRBuilder<>& builder, llvm::Value* tiles, llvm::Value* owner, llvm::Value* is_shared);

}  // namespace kmux::simt
