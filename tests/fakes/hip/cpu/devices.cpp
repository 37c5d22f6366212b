// Devices, and the names of errors.
#include <cstring>

#include "cpu/world.h"

using namespace kmux::fake_hip;  // NOLINT(google-build-using-namespace): this file defines HIP's functions

namespace {

constexpr int kVersion = 60'000'000;        // 6.0: hiprtc knows every architecture
constexpr std::size_t kArchUntil5 = 396;    // of gcnArchName in hipDeviceProp_t
constexpr std::size_t kArchFrom6 = 1160;

const Device* find_device(int ordinal) {
  const auto index = static_cast<std::size_t>(ordinal);
  return ordinal >= 0 && index < world().devices.size() ? &world().devices[index] : nullptr;
}

int write_arch(void* properties, int ordinal, std::size_t offset) {
  const std::lock_guard lock(world().mutex);
  const Device* const device = find_device(ordinal);
  if (device == nullptr) return kInvalidDevice;
  std::strncpy(static_cast<char*>(properties) + offset, device->arch.c_str(), 255);
  return kHipSuccess;
}

int attribute_of(const Device& device, int attribute) {
  switch (attribute) {
    case kMaxSharedMemoryPerBlock:
      return device.shared_bytes;
    case kL2CacheSize:
      return device.l2_bytes;
    case kMemoryPoolsSupported:
      return device.memory_pools;
    case kMultiprocessorCount:
      return 104;
    case kWarpSize:
      return wavefront_of(device.arch);
    default:
      return -1;
  }
}

}  // namespace

ReturnCode hipGetDeviceCount(int* count) {
  KMUX_BEGIN("hipGetDeviceCount");
  const std::lock_guard lock(world().mutex);
  *count = static_cast<int>(world().devices.size());
  return *count > 0 ? kHipSuccess : kNoDevice;
}

ReturnCode hipGetDevice(int* device) {
  KMUX_BEGIN("hipGetDevice");
  *device = current_device();
  return kHipSuccess;
}

ReturnCode hipSetDevice(int device) {
  KMUX_BEGIN("hipSetDevice");
  const std::lock_guard lock(world().mutex);
  if (find_device(device) == nullptr) return kInvalidDevice;
  current_device() = device;
  return kHipSuccess;
}

ReturnCode hipDeviceGetAttribute(int* value, int attribute, int device) {
  KMUX_BEGIN("hipDeviceGetAttribute");
  const std::lock_guard lock(world().mutex);
  const Device* const found = find_device(device);
  if (found == nullptr) return kInvalidDevice;
  const int known = attribute_of(*found, attribute);
  if (known < 0) return kInvalidValue;
  *value = known;
  return kHipSuccess;
}

ReturnCode hipDeviceGetName(char* name, int size, int device) {
  KMUX_BEGIN("hipDeviceGetName");
  const std::lock_guard lock(world().mutex);
  const Device* const found = find_device(device);
  if (found == nullptr) return kInvalidDevice;
  std::strncpy(name, found->name.c_str(), static_cast<std::size_t>(size));
  return kHipSuccess;
}

ReturnCode hipDeviceTotalMem(std::size_t* bytes, int device) {
  KMUX_BEGIN("hipDeviceTotalMem");
  const std::lock_guard lock(world().mutex);
  const Device* const found = find_device(device);
  if (found == nullptr) return kInvalidDevice;
  *bytes = found->memory_bytes;
  return kHipSuccess;
}

ReturnCode hipRuntimeGetVersion(int* version) {
  KMUX_BEGIN("hipRuntimeGetVersion");
  *version = kVersion;
  return kHipSuccess;
}

ReturnCode hipGetDevicePropertiesR0600(void* properties, int device) {
  KMUX_BEGIN("hipGetDevicePropertiesR0600");
  return write_arch(properties, device, kArchFrom6);
}

ReturnCode hipGetDevicePropertiesR0000(void* properties, int device) {
  KMUX_BEGIN("hipGetDevicePropertiesR0000");
  return write_arch(properties, device, kArchUntil5);
}

ReturnCode hipGetDeviceProperties(void* properties, int device) {
  KMUX_BEGIN("hipGetDeviceProperties");
  return write_arch(properties, device, kArchUntil5);
}

extern "C" {
__attribute__((visibility("default"))) const char* hipGetErrorName(int code) {
  return code == kHipSuccess ? "hipSuccess" : "hipErrorOfTheFake";
}
__attribute__((visibility("default"))) const char* hipGetErrorString(int code) {
  return code == kHipSuccess ? "no error" : "as the test asked";
}
}
