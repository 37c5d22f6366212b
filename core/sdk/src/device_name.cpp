#include "kmux/device_name.h"

namespace kmux {
namespace {

// Null for a kind that DLPack does not define.
const char* kind_name(DLDeviceType type) {
  switch (type) {
    case kDLCPU:
      return "cpu";
    case kDLCUDA:
      return "cuda";
    case kDLCUDAHost:
      return "cuda_host";
    case kDLOpenCL:
      return "opencl";
    case kDLVulkan:
      return "vulkan";
    case kDLMetal:
      return "metal";
    case kDLVPI:
      return "vpi";
    case kDLROCM:
      return "rocm";
    case kDLROCMHost:
      return "rocm_host";
    case kDLExtDev:
      return "ext_dev";
    case kDLCUDAManaged:
      return "cuda_managed";
    case kDLOneAPI:
      return "oneapi";
    case kDLWebGPU:
      return "webgpu";
    case kDLHexagon:
      return "hexagon";
    case kDLMAIA:
      return "maia";
    case kDLTrn:
      return "trn";
  }
  return nullptr;
}

}  // namespace

std::string to_string(DLDevice device) {
  if (device.device_type == kDLCPU) return "cpu";
  const std::string ordinal = std::to_string(device.device_id);
  const char* name = kind_name(device.device_type);
  if (name != nullptr) return std::string(name) + ":" + ordinal;
  return "device type " + std::to_string(static_cast<int>(device.device_type)) + ", ordinal " + ordinal;
}

}  // namespace kmux
