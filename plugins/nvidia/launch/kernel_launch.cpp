#include "nvidia/launch/kernel_launch.h"

#include "nvidia/launch/driver_error.h"

namespace kmux::nvidia {
namespace {

const kmux_driver_window& largest_window(const kmux_driver_launch& launch) {
  const kmux_driver_window* largest = launch.windows;
  for (unsigned i = 1; i < launch.window_count; ++i) {
    if (launch.windows[i].bytes > largest->bytes) largest = &launch.windows[i];
  }
  return *largest;
}

unsigned long long bytes_of(const kmux_driver_launch& launch) {
  unsigned long long bytes = 0;
  for (unsigned i = 0; i < launch.window_count; ++i) bytes += launch.windows[i].bytes;
  return bytes;
}

}  // namespace

void LaunchAttributes::apply(const kmux_driver_launch& launch, DeviceState& device, CUlaunchConfig* config) {
  if (launch.window_count != 0) add_window(launch, device);
  if (launch.cluster[0] != 0) {
    CUlaunchAttributeValue& value = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    value.clusterDim = {launch.cluster[0], launch.cluster[1], launch.cluster[2]};
  }
  if ((launch.flags & kmux_cooperative) != 0) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  if ((launch.flags & kmux_programmatic_serialization) != 0) {
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed = 1;
  }
  config->attrs = list_;
  config->numAttrs = count_;
}

CUlaunchAttributeValue& LaunchAttributes::add(CUlaunchAttributeID id) {
  CUlaunchAttribute& attribute = list_[count_++];
  attribute.id = id;
  return attribute.value;
}

void LaunchAttributes::add_window(const kmux_driver_launch& launch, DeviceState& device) {
  const kmux_driver_window& window = largest_window(launch);
  if (launch.window_count > 1) device.report_dropped_windows(launch.window_count - 1, bytes_of(launch) - window.bytes);
  const bool fits = window.bytes <= device.largest_window_bytes();
  if (!fits) device.report_cut_window(window.bytes);
  const unsigned long long bytes = fits ? window.bytes : device.largest_window_bytes();
  if (bytes == 0) return;
  CUaccessPolicyWindow& policy = add(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW).accessPolicyWindow;
  policy.base_ptr = window.base;
  policy.num_bytes = bytes;
  policy.hitRatio = static_cast<float>(window.hit_ratio);
  policy.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
  policy.missProp = CU_ACCESS_PROPERTY_STREAMING;
}

int fail_launch(const DeviceState& device, const kmux_driver_launch& launch, CUresult result, kmux_sink error) {
  if (!device.fits_block(launch)) return device.refuse_block(launch, error);
  return fail_call(
      device.driver(), error, "cuLaunchKernelEx", result,
      "kernel \"%s\" on device %d, grid %u x %u x %u, block %u x %u x %u, %llu bytes of dynamic shared memory",
      device.facts().kernels[launch.kernel].name, device.context().ordinal, launch.grid[0], launch.grid[1],
      launch.grid[2], launch.block[0], launch.block[1], launch.block[2], launch.dynamic_smem_bytes);
}

int wait_for_launch(const DeviceState& device, const kmux_driver_launch& launch, CUstream stream, kmux_sink error) {
  const DriverTable& driver = device.driver();
  const CUresult result = driver.stream_synchronize(stream);
  if (result == CUDA_SUCCESS) return KMUX_OK;
  return fail(error, error_code_of(result),
              "kernel \"%s\" failed with %d %s (%s; on device %d, grid %u x %u x %u, block %u x %u x %u, %llu bytes of "
              "dynamic shared memory). Run next: compute-sanitizer --tool memcheck COMMAND, where COMMAND starts this "
              "process; its context has ended.",
              device.facts().kernels[launch.kernel].name, static_cast<int>(result), error_name_of(driver, result),
              error_text_of(driver, result), device.context().ordinal, launch.grid[0], launch.grid[1], launch.grid[2],
              launch.block[0], launch.block[1], launch.block[2], launch.dynamic_smem_bytes);
}

}  // namespace kmux::nvidia
