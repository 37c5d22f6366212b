#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "kmux/plugin/plugin.h"

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

/// How many blocks the caller runs before it looks again at how long they take: about 5 us of them.
std::uint64_t probe_blocks(BlockCost cost, std::uint64_t ticks_per_us);

}  // namespace kmux::cpu

extern "C" {

/// Where a kernel written for one thread of a GPU runs, as launchers print it.
struct kmux_cpu_grid {
  unsigned grid[3];
  unsigned block[3];
  std::uint64_t dynamic_bytes;  // of shared memory, a multiple of 64
  kmux_sink error;
  unsigned is_cooperative;  // may its blocks wait for each other?
};

/// What a kmux_cpu_pass has before the memory of its blocks. Units: bytes.
enum : unsigned { kmux_cpu_pass_bytes = 64 };

/// One pass over all blocks of a kernel that waits for the grid, in which each goes on until it waits or ends. Lies before the
/// memory of its blocks, which each has for itself.
struct kmux_cpu_pass {
  std::uint64_t block_bytes;
  std::uint32_t goes_on;  // 0 in the first pass
  std::uint32_t waits;  // written by the blocks: does one wait for another pass?
};

/// What memory for tiles begins with, which the blocks of a column or of a row of the grid read (spmd/tiles.cpp). In the frames of a
/// kernel with `column_rows`: one for a column, then one for each row of it. Of one thread and launch.
struct kmux_cpu_tiles {
  std::uint32_t iterations;  // whose tiles are there
  std::uint32_t is_shared;  // is there another block in the column, or row?
  std::uint64_t owner;  // the column or row
  std::uint64_t goes_on;  // in the first: may any tiles be there? 0 at the beginning of a launch
};

/// What the compiler makes of such a kernel: runs the blocks from `first` to before `end`. `memory` is that of a block: its own
/// shared variables, the dynamic ones, a frame for each warp; null if there are none. Of a cooperative kernel: the kmux_cpu_pass.
using kmux_cpu_blocks = void (*)(const void* arguments, const kmux_cpu_grid* launch, std::uint64_t first,
                                 std::uint64_t end, char* memory);

/// A kernel, in the writable memory of its own code (spmd/blocks.cpp writes it).
struct kmux_cpu_kernel {
  kmux_cpu_blocks blocks;
  std::uint64_t shared_bytes;  // of its own shared variables
  std::uint64_t frame_bytes;  // of a warp, for what it keeps at a barrier
  std::uint32_t lane_bits;  // a warp has 1 << lane_bits threads
  std::uint32_t is_cooperative;  // its blocks wait for each other
  std::uint32_t
      column_rows;  // of a column of the grid, that follow one another at most; 0: the grid is gone through by its rows
  std::uint64_t cost;  // what is learnt of its blocks (BlockCost), begins with 0; only read and written as an atomic
};

/// Runs all blocks of `launch`; called by the code of kernels. Returns 0 or a kmux_code after writing to the launch's `error`.
/// Throws what a block threw, one of them if several did; blocks that have not begun then do not run.
///
/// Threads: any.
int kmux_cpu_run(const kmux_cpu_grid* launch, kmux_cpu_kernel* kernel, const void* arguments);
}

namespace kmux::cpu {

/// What a kernel's own assert or __trap throws out of it; a launch makes launch_failed of it.
class KernelFailure final : public std::exception {
 public:
  explicit KernelFailure(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace kmux::cpu

extern "C" {

/// Ends the kernel that calls it, with an error that says what failed, where it stands, and which thread it was. `what` is the
/// text of an assertion, what ended the kernel if `line` is 0, or a problem, a line's end and what to do. Called by the code of kernels; throws kmux::cpu::KernelFailure through it.
///
/// Threads: any.
void kmux_cpu_fail(const char* what, const char* file, unsigned line, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned thread_x, unsigned thread_y, unsigned thread_z);
}
