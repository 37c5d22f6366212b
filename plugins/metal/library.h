#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu.h"
#include "options.h"

namespace kmux::metal {

/// A kernel that can be launched.
struct LoadedKernel {
  std::string name;
  Owned pipeline;
  Count max_threads = 0;         // of one threadgroup
  Count threadgroup_memory = 0;  // bytes that the kernel itself declares
};

/// What `load_kernels` compiles: MSL, or a ready Metal library.
struct DeviceCode {
  std::string_view content;
  bool is_library = false;
  const BuildOptions& options;
};

/// Compiles (or opens) the code and makes a pipeline of each kernel.
///
/// Errors: compile_failed with Metal's text as note "log", also for a kernel that is not there.
Result<std::vector<LoadedKernel>> load_kernels(Gpu& gpu, const DeviceCode& code,
                                               const std::vector<std::string>& kernels);

}  // namespace kmux::metal
