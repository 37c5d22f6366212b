#include <cstdio>

#include "call.h"

namespace kmux::fake_cuda {
namespace {

// The PCI location of the devices: each has a separate slot of one bus. Source: CUDA Driver API, CUdevice_attribute.
constexpr int kPciBus = 33, kPciDevice = 34, kPciDomain = 50;

int place_of(const Device& device, int attribute, int* value) {
  if (attribute == kPciDomain) return *value = 0;
  if (attribute == kPciBus) return *value = 0x1b;
  if (attribute == kPciDevice) return *value = static_cast<int>(&device - world().devices.data());
  return -1;
}

int attribute_of(const Device& device, CUdevice_attribute attribute, int* value) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return *value = 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      return *value = 48 << 10;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return *value = device.multiprocessors;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return *value = device.l2_bytes;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return *value = device.major;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return *value = device.minor;
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
      return *value = 1;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return *value = device.shared_bytes_opt_in;
    case CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE:
      return *value = device.max_persisting_l2_bytes;
    case CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE:
      return *value = device.max_window_bytes;
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
      return *value = device.memory_pools;
  }
  return place_of(device, attribute, value);
}

}  // namespace

CUresult cuInit(unsigned flags) {
  return Call("cuInit", Needs::kNothing).with(" flags ", flags).run([flags] {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (world().devices.empty()) return CUDA_ERROR_NO_DEVICE;
    world().initialised = true;
    return CUDA_SUCCESS;
  });
}

CUresult cuDriverGetVersion(int* version) {
  Call call("cuDriverGetVersion", Needs::kNothing);
  return call.run([&] {
    call.with(" -> ", *version = world().driver_version);
    return CUDA_SUCCESS;
  });
}

CUresult cuGetErrorName(CUresult code, const char** text) {
  return Call("cuGetErrorName", Needs::kNothing).with(" code ", static_cast<int>(code)).run([&] {
    return (*text = name_of(code)) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
}

CUresult cuGetErrorString(CUresult code, const char** text) {
  return Call("cuGetErrorString", Needs::kNothing).with(" code ", static_cast<int>(code)).run([&] {
    return (*text = meaning_of(code)) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetCount(int* count) {
  Call call("cuDeviceGetCount", Needs::kInit);
  return call.run([&] {
    call.with(" -> ", *count = static_cast<int>(world().devices.size()));
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return Call("cuDeviceGet", Needs::kInit).with(" ordinal ", ordinal).run([&] {
    *device = ordinal;
    return world().has_device(ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  });
}

CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  return Call("cuDeviceGetName", Needs::kInit).with(" device ", device).run([&] {
    if (!world().has_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (size <= 0) return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(name, static_cast<std::size_t>(size), "%s", world().devices[device].name.c_str());
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  Call call("cuDeviceGetAttribute", Needs::kInit);
  return call.with(" attribute ", static_cast<int>(attribute), " device ", device).run([&] {
    if (!world().has_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (attribute_of(world().devices[device], attribute, value) < 0) return CUDA_ERROR_INVALID_VALUE;
    call.with(" -> ", *value);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  Call call("cuDeviceTotalMem_v2", Needs::kInit);
  return call.with(" device ", device).run([&] {
    if (!world().has_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    call.with(" -> ", *bytes = world().devices[device].memory_bytes);
    return CUDA_SUCCESS;
  });
}

}  // namespace kmux::fake_cuda
