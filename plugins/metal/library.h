#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu.h"
#include "options.h"

namespace kmux::metal {

/// A kernel with its pipeline, ready to launch.
struct LoadedKernel {
  std::string name;
  Owned pipeline;
  Count max_threads = 0;         // of one threadgroup
  Count threadgroup_memory = 0;  // bytes that the kernel itself declares
};

/// The input of `load_kernels`: MSL, or a ready Metal library.
struct DeviceCode {
  std::string_view content;
  bool is_library = false;
  const BuildOptions& options;
};

/// Compiles MSL, or opens a library, and creates a pipeline for each kernel.
///
/// Errors: compile_failed with Metal's text as note "log", also for a missing kernel.
Result<std::vector<LoadedKernel>> load_kernels(Gpu& gpu, const DeviceCode& code,
                                               const std::vector<std::string>& kernels);

}  // namespace kmux::metal
