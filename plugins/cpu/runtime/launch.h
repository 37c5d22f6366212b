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
/// shared variables, the dynamic ones, a frame for each warp.
using kmux_cpu_blocks = void (*)(const void* arguments, const kmux_cpu_grid* launch, std::uint64_t first,
                                 std::uint64_t end, char* memory);

/// Runs all blocks of `launch`; called by the code of kernels. Returns 0 or a kmux_code after writing to the launch's `error`.
///
/// Threads: any.
int kmux_cpu_run(const kmux_cpu_grid* launch, kmux_cpu_blocks blocks, const void* arguments, std::uint64_t shared_bytes,
                 std::uint64_t frame_bytes, unsigned lanes);
}
