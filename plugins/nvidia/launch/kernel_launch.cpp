#include "nvidia/launch/kernel_launch.h"

#include "nvidia/launch/driver_error.h"

namespace kmux::nvidia {

int fail_launch(const DeviceState& device, const kmux_driver_launch& launch, CUresult result, kmux_sink error) {
  return fail_call(
      device.driver(), error, "cuLaunchKernelEx", result,
      "kernel \"%s\" on device %d, grid %u x %u x %u, block %u x %u x %u, %llu bytes of dynamic shared memory",
      device.facts().kernels[launch.kernel].name, device.context().ordinal, launch.grid[0], launch.grid[1],
      launch.grid[2], launch.block[0], launch.block[1], launch.block[2], launch.dynamic_smem_bytes);
}

}  // namespace kmux::nvidia
