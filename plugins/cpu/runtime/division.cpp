#include "runtime/division.h"

namespace kmux::cpu {
namespace {

constexpr std::uint64_t kDividedUs = 20;
constexpr std::uint64_t kShareUs = 10;  // the least that is worth a thread
constexpr std::uint64_t kLeastPartUs = 8;
constexpr std::uint64_t kMostPartUs = 200;
constexpr std::uint64_t kPartsOfThread = 64;
constexpr std::uint64_t kProbeUs = 5;
constexpr std::uint64_t kMostDearer = 4;  // times, in one step

std::uint64_t clamp(std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  return value < least ? least : value > most ? most : value;
}

// So many that the counter of parts never overflows.
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 52;

std::uint64_t blocks_in(std::uint64_t ticks, BlockCost cost) {
  return clamp((ticks << kCostFraction) / (cost == 0 ? 1 : cost), 1, kMostBlocks);
}

}  // namespace

BlockCost learn(BlockCost before, std::uint64_t ticks, std::uint64_t blocks) {
  const BlockCost sample = clamp((ticks << kCostFraction) / (blocks == 0 ? 1 : blocks), 1, BlockCost{1} << 56);
  if (before == 0) return sample;
  if (sample <= before) return clamp((before + sample) / 2, 1, before);
  return before + (clamp(sample, 0, kMostDearer * before) - before) / 4;
}

Division divide(std::uint64_t blocks, BlockCost cost, std::uint64_t ticks_per_us, unsigned most_helpers) {
  const std::uint64_t in_share = blocks_in(kShareUs * ticks_per_us, cost);
  const std::uint64_t shares = blocks / in_share;
  if (cost == 0 || most_helpers == 0 || blocks < 2 || shares < kDividedUs / kShareUs) return {0, blocks};
  const std::uint64_t threads = clamp(shares, 2, most_helpers + 1U);
  const std::uint64_t grain = clamp(blocks / (threads * kPartsOfThread), blocks_in(kLeastPartUs * ticks_per_us, cost),
                                    blocks_in(kMostPartUs * ticks_per_us, cost));
  const std::uint64_t parts = (blocks + grain - 1) / grain;
  return {static_cast<unsigned>(clamp(threads, 1, parts) - 1), grain};
}

std::uint64_t probe_blocks(BlockCost cost, std::uint64_t ticks_per_us) {
  return cost == 0 ? 1 : blocks_in(kProbeUs * ticks_per_us, cost);
}

}  // namespace kmux::cpu
