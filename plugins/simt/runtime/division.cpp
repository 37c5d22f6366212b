#include "simt/runtime/division.h"

#include <algorithm>

namespace kmux::simt {
namespace {

constexpr std::uint64_t kDividedUs = 20;
constexpr std::uint64_t kShareUs = 10;  // the least work that is worth a thread
constexpr std::uint64_t kMinPartUs = 8;
constexpr std::uint64_t kMaxPartUs = 200;
constexpr std::uint64_t kPartsOfThread = 64;
constexpr std::uint64_t kProbeUs = 5;
constexpr std::uint64_t kMaxCostFactor = 4;  // factor that one step may raise a cost by

std::uint64_t clamp(std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  return value < least ? least : value > most ? most : value;
}

// The bound keeps the counter of parts from overflowing.
constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 52;

std::uint64_t blocks_in(std::uint64_t ticks, BlockCost cost) {
  return clamp((ticks << kCostFraction) / (cost == 0 ? 1 : cost), 1, kMaxBlocks);
}

}  // namespace

BlockCost learn(BlockCost before, std::uint64_t ticks, std::uint64_t blocks) {
  const BlockCost sample = clamp((ticks << kCostFraction) / (blocks == 0 ? 1 : blocks), 1, BlockCost{1} << 56);
  if (before == 0) return sample;
  if (sample <= before) return clamp((before + sample) / 2, 1, before);
  return before + (clamp(sample, 0, kMaxCostFactor * before) - before) / 4;
}

Division divide(std::uint64_t blocks, BlockCost cost, std::uint64_t ticks_per_us, unsigned most_helpers) {
  const std::uint64_t in_share = blocks_in(kShareUs * ticks_per_us, cost);
  const std::uint64_t shares = blocks / in_share;
  if (cost == 0 || most_helpers == 0 || blocks < 2 || shares < kDividedUs / kShareUs)
    return {0, probe_blocks(cost, ticks_per_us, true)};
  const std::uint64_t threads = clamp(shares, 2, most_helpers + 1U);
  const std::uint64_t grain = clamp(blocks / (threads * kPartsOfThread), blocks_in(kMinPartUs * ticks_per_us, cost),
                                    blocks_in(kMaxPartUs * ticks_per_us, cost));
  const std::uint64_t parts = (blocks + grain - 1) / grain;
  return {static_cast<unsigned>(clamp(threads, 1, parts) - 1), grain};
}

Columns::Columns(const unsigned (&grid)[3], std::uint64_t its_rows, std::uint64_t grain)
    : width(grid[0]), height(grid[1]), rows(its_rows), together(its_rows) {
  while (together > 1 && 2 * together > 3 * grain) together /= 2;
}

std::uint64_t Columns::part_begin(std::uint64_t block) const {
  if (rows == 0) return block;
  const std::uint64_t in_layer = block % (width * height);
  const std::uint64_t top = in_layer / (width * rows) * rows;
  const std::uint64_t here = height - top < rows ? height - top : rows;
  const std::uint64_t row = (in_layer - top * width) % here;
  if (row % together == 0) return block;
  const std::uint64_t next = row + together - row % together;
  return block + (next < here ? next : here) - row;
}

Shares::Shares(Blocks blocks, const Division& division, const Columns& columns)
    : columns_(columns),
      grain_(division.grain),
      count_(columns.rows == 0 ? 1 : static_cast<unsigned>(clamp(division.helpers + 1U, 1, kMost))) {
  const std::uint64_t each = blocks.count() / count_;
  std::uint64_t begin = blocks.begin;
  for (unsigned i = 0; i < count_; ++i) {
    const bool is_last = i + 1 == count_;
    shares_[i].blocks = {begin, is_last ? blocks.end : columns.part_begin(blocks.begin + (i + 1) * each)};
    shares_[i].next.store(begin, std::memory_order_relaxed);
    begin = shares_[i].blocks.end;
  }
}

// Returns no blocks if another thread was faster, or if no column begins in the part.
Blocks Shares::part_of(Share& share) {
  const auto [begin, end] = share.blocks;
  const std::uint64_t first = share.next.fetch_add(grain_, std::memory_order_relaxed);
  if (first >= end) return {};
  return {first == begin ? first : columns_.part_begin(first),
          end - first <= grain_ ? end : columns_.part_begin(first + grain_)};
}

Blocks Shares::take(unsigned& share) {
  for (unsigned done = 0; done < count_; ++done) {
    while (!shares_[share].is_taken()) {
      if (const Blocks part = part_of(shares_[share]); part.count() > 0) return part;
    }
    share = (share + 1) % count_;
  }
  return {};
}

void Shares::give_up() {
  for (Share& share : shares_) share.next.store(share.blocks.end, std::memory_order_relaxed);
}

bool Shares::are_taken() const {
  return std::all_of(shares_, shares_ + count_, [](const Share& share) { return share.is_taken(); });
}

std::uint64_t probe_blocks(BlockCost cost, std::uint64_t ticks_per_us, bool is_alone) {
  return cost == 0 ? 1 : blocks_in((is_alone ? kMaxPartUs : kProbeUs) * ticks_per_us, cost);
}

}  // namespace kmux::simt
