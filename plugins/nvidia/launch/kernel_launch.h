#pragma once

#include "nvidia/launch/device_state.h"
#include "nvidia/launch/launch_attributes.h"

namespace kmux::nvidia {

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

/// The error of a launch that failed with `result`.
int fail_launch(const DeviceState& device, const kmux_driver_launch& launch, CUresult result, kmux_sink error);

}  // namespace kmux::nvidia
