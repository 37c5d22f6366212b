#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

namespace kmux::simt {

/// The rows of a tile, one load each.
using Tile = std::vector<llvm::LoadInst*>;

/// Returns true if `value` is the same, in the same iteration of a loop, for all blocks that differ only in the index
/// `other`. The loop must have only the block `body`.
bool is_same_across(const llvm::Value* value, const llvm::BasicBlock& body, std::string_view other);

/// Shares reads of `loop` between blocks: `tiles` within a column of the grid, and copies to shared memory within a
/// row. `loop` must have one block and no outer loop. Calls `between` while the loop still has one block.
void pack_tiles(llvm::Loop& loop, std::vector<Tile> tiles, llvm::function_ref<void()> between);

/// Room for the tiles of a grid column, at call::kPacked, and of a row, at call::kKept. Tiles follow a kmux_cpu_tiles,
/// in the order of iterations. The tiles of one iteration stay in a first- or second-level cache. Units: bytes.
inline constexpr std::uint64_t kTilesHeaderBytes = 64;
inline constexpr std::uint64_t kPackedBytes = 256 << 10;
inline constexpr std::uint64_t kKeptBytes = (128 << 10) + kTilesHeaderBytes;
inline constexpr unsigned kMaxColumnBlocks = 16;  // consecutive blocks
/// Returns the bytes for a column and, with `has_rows`, for its rows.
constexpr std::uint64_t tiles_bytes(bool has_rows) {
  return kPackedBytes + (has_rows ? kMaxColumnBlocks * kKeptBytes : 0);
}

}  // namespace kmux::simt
