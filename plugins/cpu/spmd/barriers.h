#pragma once

#include <cstdint>

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace kmux::cpu::spmd {

/// A loop over the warps of a block, whose body is the code of a warp, or of several in step, which are one warp here.
struct WarpLoop {
  llvm::PHINode* warp;        // the number of the warp, in `header`
  llvm::BasicBlock* header;   // computes what the body needs of the number, then goes to it
  llvm::BasicBlock* latch;    // where the body ends; asks for the next warp
  llvm::BasicBlock* exit;
  llvm::Value* count;         // warps
  llvm::Value* memory;        // where frames lie, one a warp, aligned to 64 bytes
  llvm::Value*
      goes_on;  // has the block waited for the grid before, and goes on where its frames say? null: there is no such barrier
};

/// What waits make of a loop over warps.
struct WarpWaits {
  std::uint64_t frame_bytes = 0;  // of a warp
  llvm::Value* for_grid = nullptr;  // at the loop's exit: does a warp wait for the grid? null as `goes_on`
};

/// Has the warps of `loop` wait for each other where the body has a barrier: each runs to its next barrier, keeps what it needs
/// after it in its frame, and the next one runs; round by round until all have ended or wait for the grid, where the block is left.
/// Frames have no bytes if there is no barrier, or only one warp, which waits for nobody in its block.
WarpWaits add_barriers(llvm::Function& block, const WarpLoop& loop);

}  // namespace kmux::cpu::spmd
