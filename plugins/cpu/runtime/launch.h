#pragma once

#include <cstdint>

#include "kmux/plugin/plugin.h"

extern "C" {

/// Where a kernel written for one thread of a GPU runs, as launchers print it.
struct kmux_cpu_grid {
  unsigned grid[3];
  unsigned block[3];
  std::uint64_t dynamic_bytes;  // of shared memory, a multiple of 64
  kmux_sink error;
};

/// What the compiler makes of such a kernel: runs the blocks from `first` to before `end`. `memory` is that of a block: its own
/// shared variables, the dynamic ones, a frame for each warp; null if there are none.
using kmux_cpu_blocks = void (*)(const void* arguments, const kmux_cpu_grid* launch, std::uint64_t first,
                                 std::uint64_t end, char* memory);

/// A kernel, in the writable memory of its own code (spmd/blocks.cpp writes it).
struct kmux_cpu_kernel {
  kmux_cpu_blocks blocks;
  std::uint64_t shared_bytes;  // of its own shared variables
  std::uint64_t frame_bytes;  // of a warp, for what it keeps at a barrier
  std::uint32_t lane_bits;  // a warp has 1 << lane_bits threads
  std::uint32_t reserved;
  std::uint64_t
      cost;  // what is learnt of its blocks (runtime/division.h), begins with 0; only read and written as an atomic
};

/// Runs all blocks of `launch`; called by the code of kernels. Returns 0 or a kmux_code after writing to the launch's `error`.
/// Throws what a block threw, one of them if several did; blocks that have not begun then do not run.
///
/// Threads: any.
int kmux_cpu_run(const kmux_cpu_grid* launch, kmux_cpu_kernel* kernel, const void* arguments);
}
