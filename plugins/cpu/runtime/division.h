#pragma once

#include <atomic>
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

/// The columns of a grid whose blocks follow one another, some rows of one and then those of the next (spmd/blocks.cpp): what the first
/// block of a column has read serves the next ones, if one thread takes them.
struct Columns {
  std::uint64_t width;
  std::uint64_t height;
  std::uint64_t rows;  // that follow one another at most; 0: blocks have nothing of each other
  std::uint64_t together;  // rows that parts do not separate

  Columns(const unsigned (&grid)[3], std::uint64_t its_rows, std::uint64_t grain);

  /// Where a part begins that would begin at `block`: there or a little later.
  std::uint64_t part_begin(std::uint64_t block) const;
};

/// Blocks from `begin` to before `end`, in the order of a launch.
struct Blocks {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t count() const { return end - begin; }
};

/// The blocks of a launch, divided among threads. Where blocks of a column have something of each other, each thread has a share of
/// its own, so that it does not begin with the same rows as another, and helps the next ones when it is done; else all share one, whose blocks
/// begin in their order.
///
/// Threads: any, once it is made.
class Shares {
 public:
  Shares(Blocks blocks, const Division& division, const Columns& columns);

  /// Where the calling thread begins; called once by each.
  unsigned enter() { return entered_.fetch_add(1, std::memory_order_relaxed) % count_; }
  /// The part that a thread runs next, which is at `share` and may go on to another; without blocks if none is left.
  Blocks take(unsigned& share);
  /// Leaves nothing to take.
  void give_up();
  bool are_taken() const;

 private:
  static constexpr unsigned kMost = 64;  // with more threads, some have one together

  struct alignas(64) Share {
    std::atomic<std::uint64_t> next;  // the first block that nobody has taken
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

/// How many blocks the caller runs before it looks again at how long they take: about 5 us of them.
std::uint64_t probe_blocks(BlockCost cost, std::uint64_t ticks_per_us);

}  // namespace kmux::cpu
