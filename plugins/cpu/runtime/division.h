#pragma once

#include <cstdint>

namespace kmux::cpu {

/// Bits of a cost behind the point.
constexpr unsigned kCostFraction = 8;

/// What is known of how long a block of a kernel takes, in 256ths of a tick; 0: nothing. Any number may be wrong, as arguments
/// differ from launch to launch: it decides how a launch is divided, not what it computes.
using BlockCost = std::uint64_t;

/// The cost after `blocks` of them took `ticks`. Follows what becomes cheaper at once by half; what becomes dearer more slowly, since a
/// thread may have been taken off its processor.
BlockCost learn(BlockCost before, std::uint64_t ticks, std::uint64_t blocks);

/// How a launch is divided among threads.
struct Division {
  unsigned helpers;  // threads beside the caller's; 0: too little work for two
  std::uint64_t grain;  // blocks that a thread takes at a time
};

/// Parts of 8 us at least, of 200 us at most, 64 a thread between; nothing to divide below 20 us.
Division divide(std::uint64_t blocks, BlockCost cost, std::uint64_t ticks_per_us, unsigned most_helpers);

/// How many blocks the caller runs before it looks again at how long they take: about 5 us of them.
std::uint64_t probe_blocks(BlockCost cost, std::uint64_t ticks_per_us);

}  // namespace kmux::cpu
