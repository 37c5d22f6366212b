#pragma once

#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace kmux::simt {

/// A loop over the warps of a block. Its body is the code of a warp, or of several in lockstep, which count as one warp
/// here. Or a loop over the blocks of a group, each of which is one warp.
struct WarpLoop {
  llvm::PHINode* warp;  // the number of the warp, in `header`
  llvm::BasicBlock* header;  // computes values that the body needs from the number, then branches to it
  llvm::BasicBlock* latch;  // the end of the body; advances to the next warp
  llvm::BasicBlock* exit;
  llvm::Value* count;  // the number of warps
  llvm::Value* memory;  // frames, one per warp, aligned to 64 bytes
  llvm::Value* goes_on;  // true if the block resumes from its frames after a grid barrier; null: none exists
};

/// Begins a loop over `count` at the insertion point of `builder`, which is in the loop's header afterwards. `count`
/// must be at least 1. The loop branches to `exit` after the last warp.
WarpLoop begin_loop(llvm::IRBuilder<>& builder, const char* name, llvm::Value* count, llvm::BasicBlock* exit);
/// Writes the latch of `loop`.
void end_loop(llvm::IRBuilder<>& builder, const WarpLoop& loop);

/// The values that barriers add to a loop over warps.
struct WarpWaits {
  std::uint64_t frame_bytes = 0;  // per warp
  llvm::Value* for_grid = nullptr;  // at the loop's exit: true if a warp waits for the grid; null as `goes_on`
};

/// Makes the warps of `loop` wait for each other at barriers in the body. Each warp runs to its next barrier and saves
/// its live values in its spill frame; then the next warp runs. Rounds repeat until all warps have ended or wait for
/// the grid, where control leaves the block. A loop without barriers is not unrolled. Without barriers, frames have no
/// bytes. A single warp needs no barriers of its block; they are erased.
WarpWaits add_barriers(llvm::Function& block, const WarpLoop& loop);

/// Does the same for blocks of a group that run in time slices. Each runs to its next call of call::kTurn; then the
/// next one runs. Returns the bytes of a block's frame.
std::uint64_t add_time_slices(llvm::Function& group, const WarpLoop& loop);

}  // namespace kmux::simt
