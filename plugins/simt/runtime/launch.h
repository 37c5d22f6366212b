#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "kmux/plugin/plugin.h"

extern "C" {

/// The launch geometry of a kernel written for one thread of a GPU, as launchers print it.
struct kmux_cpu_grid {
  unsigned grid[3];
  unsigned block[3];
  std::uint64_t dynamic_bytes;  // of shared memory, a multiple of 64
  kmux_sink error;
  unsigned is_cooperative;  // true if its blocks may wait for each other
  unsigned cluster[3];  // blocks of a cluster; 0: the launch has none
};

/// The bytes of a kmux_cpu_pass before the memory of its blocks. Units: bytes.
enum : unsigned { kmux_cpu_pass_bytes = 64 };

/// One pass over all blocks of a kernel with grid barriers: each block runs until it waits or ends. Precedes the memory
/// of the blocks, which is separate for each.
struct kmux_cpu_pass {
  std::uint64_t block_bytes;
  std::uint32_t goes_on;  // 0 in the first pass
  std::uint32_t waits;  // set by a block that waits for another pass
};

/// The header of a tile buffer, which the blocks of a column or row of the grid read (simt/transforms/tiles.cpp). Part of the frames
/// of a kernel with `column_rows`: one for a column, then one for each of its rows. Valid for one thread and launch.
struct kmux_cpu_tiles {
  std::uint32_t iterations;  // iterations whose tiles are present
  std::uint32_t is_shared;  // true if the column or row has another block
  std::uint64_t owner;  // the column or row
  std::uint64_t goes_on;  // in the first header: true if any tiles may be present; 0 at the beginning of a launch
};

/// The compiled form of such a kernel: runs the blocks from `first` to before `end`. `memory` is a block's: static shared variables,
/// dynamic ones, a frame per warp; null if none are needed. private_lines precede it. For a cooperative kernel it is the kmux_cpu_pass.
using kmux_cpu_blocks = void (*)(const void* arguments, const kmux_cpu_grid* launch, std::uint64_t first,
                                 std::uint64_t end, char* memory);

/// The descriptor of a kernel, in the writable memory of its code (simt/transforms/blocks.cpp writes it).
struct kmux_cpu_kernel {
  kmux_cpu_blocks blocks;
  std::uint64_t shared_bytes;  // of its static shared variables
  std::uint64_t frame_bytes;  // the spill frame of a warp at a barrier
  std::uint32_t lane_bits;  // a warp has 1 << lane_bits threads
  std::uint32_t is_cooperative;  // its blocks wait for each other
  std::uint32_t
      column_rows;  // of a column of the grid that run consecutively, at most; 0: the grid is traversed by rows
  std::uint32_t
      private_lines;  // of 64 bytes, before the memory of a block: large per-thread arrays (simt/transforms/private_arrays.cpp)
  std::uint64_t cost;  // the learnt BlockCost, initially 0; must be accessed atomically
  std::uint64_t stack_bytes;  // the sum of its code's stack frames (simt/codegen/frame_sizes.cpp)
};

/// Runs all blocks of `grid`; called by the code of kernels. Returns 0, or a kmux_code after writing to `grid->error`.
/// Rethrows an exception of a block, one of them if several threw; blocks not yet begun then do not run.
///
/// Threads: any.
int kmux_cpu_run(const kmux_cpu_grid* grid, kmux_cpu_kernel* kernel, const void* arguments);
}

namespace kmux::simt {

/// The exception that a kernel's own assert or __trap throws; a launch reports it as launch_failed.
class KernelFailure final : public std::exception {
 public:
  explicit KernelFailure(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace kmux::simt

extern "C" {

/// Ends the calling kernel with an error that names the failure, its place and its thread. `what` is the text of an assertion, the
/// cause if `line` is 0, or a problem, a newline and advice. Called by the code of kernels; throws kmux::simt::KernelFailure through it.
///
/// Threads: any.
void kmux_cpu_fail(const char* what, const char* file, unsigned line, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned thread_x, unsigned thread_y, unsigned thread_z);
}
