#pragma once

#include "kmux/plugin/driver.h"

#include "nvidia/launch/device_state.h"

namespace kmux::nvidia {

/// The attributes that one launch requests.
///
/// Source: CUDA Driver API, CUlaunchAttributeID.
class LaunchAttributes {
 public:
  /// Returns true if `launch` requests any attribute.
  static bool are_asked_by(const kmux_driver_launch& launch) {
    return (launch.flags | launch.cluster[0] | launch.window_count) != 0;
  }

  /// Sets the attributes that `launch` requests in `config`. Lifetime: `config` points into this object.
  void apply(const kmux_driver_launch& launch, DeviceState& device, CUlaunchConfig* config);

 private:
  CUlaunchAttributeValue& add(CUlaunchAttributeID id);
  void add_window(const kmux_driver_launch& launch, DeviceState& device);

  CUlaunchAttribute list_[4];  // not zeroed: only the used members are written
  unsigned count_ = 0;
};

/// Sets `config` to `launch`, without attributes.
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

/// Returns true if `result` means that the driver launched nothing, since function and stream are of different
/// contexts.
inline bool says_elsewhere(CUresult result) {
  return result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_INVALID_HANDLE;
}

/// Returns the launch itself.
inline const kmux_driver_launch& as_it_is(const kmux_driver_launch& launch) {
  return launch;  // NOLINT(bugprone-return-const-ref-from-parameter): the caller owns it
}

/// Returns a copy, made member by member: compilers can then keep the original in registers.
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

/// Writes the error of a launch that failed with `result`. Returns its ErrorCode.
[[gnu::cold, gnu::noinline]] int fail_launch(const DeviceState& device, const kmux_driver_launch& launch,
                                             CUresult result, kmux_sink error);

/// Blocks until `stream`, in which `launch` must be the last, is done. If every launch blocks, a failure is the
/// kernel's.
///
/// Errors: names the kernel and its geometry, and the tool to run next.
int wait_for_launch(const DeviceState& device, const kmux_driver_launch& launch, CUstream stream, kmux_sink error);

}  // namespace kmux::nvidia
