#pragma once

#include <string>
#include <vector>

#include "msl/kmux_msl.h"

namespace kmux::fake_metal {

/// What kernels call while they run.
kmux_msl::Host kernel_host();

/// A kernel with all that is bound to it.
struct BoundKernel {
  void (*run)(const kmux_msl::Thread* thread) = nullptr;
  std::vector<void*> buffers;
  std::vector<unsigned long> threadgroup_bytes;
  kmux_msl::Extents groups = {};
  kmux_msl::Extents group_size = {};
};

/// Runs every thread of every group, one group after another. Threadgroup memory begins as junk, as a device's does.
///
/// Errors: what went wrong, or nothing.
std::string run_grid(const BoundKernel& kernel);

}  // namespace kmux::fake_metal
