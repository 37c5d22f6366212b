#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "kmux/plugin/plugin.h"

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
/// shared variables, the dynamic ones, a frame for each warp; null if there are none. Before it lie private_lines. Of a cooperative kernel: the kmux_cpu_pass.
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
  std::uint32_t
      private_lines;  // of 64 bytes, before the memory of a block: large arrays of threads (spmd/private_arrays.cpp)
  std::uint64_t cost;  // what is learnt of its blocks (BlockCost), begins with 0; only read and written as an atomic
  std::uint64_t stack_bytes;  // that the frames of its code have together (engine/frame_sizes.cpp)
};

/// Runs all blocks of `grid`; called by the code of kernels. Returns 0 or a kmux_code after writing to the `error` of `grid`.
/// Throws what a block threw, one of them if several did; blocks that have not begun then do not run.
///
/// Threads: any.
int kmux_cpu_run(const kmux_cpu_grid* grid, kmux_cpu_kernel* kernel, const void* arguments);
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
