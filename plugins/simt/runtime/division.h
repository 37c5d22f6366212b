#pragma once

#include <atomic>
#include <cstdint>

namespace kmux::simt {

/// Fractional bits of a cost.
constexpr unsigned kCostFraction = 8;

/// The estimated time of a kernel's block, in 256ths of a tick; 0: unknown. Any estimate may be wrong, as arguments
/// differ from launch to launch: it decides how a launch is divided, not its results.
using BlockCost = std::uint64_t;

/// Returns the updated cost after `blocks` took `ticks`. A cheaper sample moves it by half at once, a dearer one more
/// slowly: a thread may have been preempted.
BlockCost learn(BlockCost before, std::uint64_t ticks, std::uint64_t blocks);

/// The division of a launch among threads.
struct Division {
  unsigned helpers;  // threads besides the caller; 0: too little work for two
  std::uint64_t grain;  // blocks that a thread takes at a time
};

/// Returns a division into parts of 8 to 200 us, in between 64 a thread. Work below 20 us is not divided among threads.
Division divide(std::uint64_t blocks, BlockCost cost, std::uint64_t ticks_per_us, unsigned most_helpers);

/// The columns of a grid whose blocks run consecutively, some rows of one and then of the next (simt/transforms/blocks.cpp): data
/// that the first block of a column has read serves the next ones, if one thread takes them.
struct Columns {
  std::uint64_t width;
  std::uint64_t height;
  std::uint64_t rows;  // of a column that run consecutively, at most; 0: blocks share no data
  std::uint64_t together;  // rows of a column that are never split between parts

  Columns(const unsigned (&grid)[3], std::uint64_t its_rows, std::uint64_t grain);

  /// Returns the first block at or after `block` at which a part may begin.
  std::uint64_t part_begin(std::uint64_t block) const;
};

/// The blocks from `begin` up to but excluding `end`, in the order of a launch.
struct Blocks {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t count() const { return end - begin; }
};

/// The blocks of a launch, divided among threads. Where blocks of a column share data, each thread has a separate
/// share, so that no two begin with the same rows, and helps with the next shares when done. Otherwise all threads take
/// from one share in order.
///
/// Threads: any, once constructed.
class Shares {
 public:
  Shares(Blocks blocks, const Division& division, const Columns& columns);

  /// Returns the share that the calling thread begins with. Each thread must call it once.
  unsigned enter() { return entered_.fetch_add(1, std::memory_order_relaxed) % count_; }
  /// Returns the next part to run, from `share` or the shares after it, and updates `share`. Returns an empty part if none is left.
  Blocks take(unsigned& share);
  /// Marks all blocks as taken, so that no further part is returned.
  void give_up();
  bool are_taken() const;

 private:
  static constexpr unsigned kMost = 64;  // more threads than this share some

  struct alignas(64) Share {
    std::atomic<std::uint64_t> next;  // the first block not yet taken
    Blocks blocks;

    bool is_taken() const { return next.load(std::memory_order_relaxed) >= blocks.end; }
  };

  Blocks part_of(Share& share);

  const Columns columns_;
  const std::uint64_t grain_;
  const unsigned count_;
  std::atomic<unsigned> entered_{0};
  Share shares_[kMost];
};

/// Returns the number of blocks that the caller runs between two readings of the clock: about 5 us of work, or 200 us if it is alone.
std::uint64_t probe_blocks(BlockCost cost, std::uint64_t ticks_per_us, bool is_alone = false);

}  // namespace kmux::simt
