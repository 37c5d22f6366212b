#pragma once

#include "kmux/plugin/driver.h"

#include "nvidia/launch/device_state.h"

namespace kmux::nvidia {

/// The attributes of one launch: those that it asks for and no others.
///
/// Source: CUDA Driver API, CUlaunchAttributeID.
class LaunchAttributes {
 public:
  /// Whether `launch` asks for any.
  static bool are_asked_by(const kmux_driver_launch& launch) {
    return (launch.flags | launch.cluster[0] | launch.window_count) != 0;
  }

  /// Makes `config` have the attributes that `launch` asks for. Lifetime: `config` points into this.
  void apply(const kmux_driver_launch& launch, DeviceState& device, CUlaunchConfig* config);

 private:
  CUlaunchAttributeValue& add(CUlaunchAttributeID id);
  void add_window(const kmux_driver_launch& launch, DeviceState& device);

  CUlaunchAttribute list_[4];  // not zeroed: only what an attribute needs is written
  unsigned count_ = 0;
};

/// Makes `config` say what `launch` does, attributes aside.
inline void configure(const kmux_driver_launch& launch, CUstream stream, CUlaunchConfig* config) {
  config->gridDimX = launch.grid[0];
  config->gridDimY = launch.grid[1];
  config->gridDimZ = launch.grid[2];
  config->blockDimX = launch.block[0];
  config->blockDimY = launch.block[1];
  config->blockDimZ = launch.block[2];
  config->sharedMemBytes = static_cast<unsigned>(launch.dynamic_smem_bytes);
  config->hStream = stream;
  config->attrs = nullptr;
  config->numAttrs = 0;
}

/// Does the driver's answer say that a function was not launched since it is of another context than the stream?
inline bool says_elsewhere(CUresult result) {
  return result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_INVALID_HANDLE;
}

/// The launch itself.
inline const kmux_driver_launch& as_it_is(const kmux_driver_launch& launch) {
  return launch;  // NOLINT(bugprone-return-const-ref-from-parameter): who asks has it
}

/// A copy, made member by member: compilers keep a launch that is only so copied in registers.
__attribute__((always_inline)) inline kmux_driver_launch copy_of(const kmux_driver_launch& launch) {
  const auto& [kernel, step, grid, block, cluster, smem_bytes, flags, window_count, args, windows] = launch;
  return {kernel,
          step,
          {grid[0], grid[1], grid[2]},
          {block[0], block[1], block[2]},
          {cluster[0], cluster[1], cluster[2]},
          smem_bytes,
          flags,
          window_count,
          args,
          windows};
}

/// The error of a launch that failed with `result`.
[[gnu::cold, gnu::noinline]] int fail_launch(const DeviceState& device, const kmux_driver_launch& launch,
                                             CUresult result, kmux_sink error);

/// Waits for `stream`, in which `launch` is the last. Its failure is that of the kernel, if every launch is waited for.
///
/// Errors: names the kernel and its geometry, and what to run next.
int wait_for_launch(const DeviceState& device, const kmux_driver_launch& launch, CUstream stream, kmux_sink error);

}  // namespace kmux::nvidia
