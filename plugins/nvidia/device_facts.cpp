#include "nvidia/device_facts.h"

#include <array>

#include "kmux/plugin/failure_text.h"

#include "nvidia/launch/driver_error.h"

namespace kmux::nvidia {
namespace {

Result<const DriverTable*> driver_table() {
  FailureText failure;
  const DriverTable* driver = open_driver(failure.sink());
  if (driver == nullptr) return failure.unavailable();
  return driver;
}

Status check(const DriverTable& driver, const char* call, CUresult result, int ordinal) {
  if (result == CUDA_SUCCESS) return Ok{};
  FailureText failure;
  return failure.status(fail_call(driver, failure.sink(), call, result, "device %d", ordinal));
}

Result<CUdevice> find_device(const DriverTable& driver, int ordinal) {
  CUdevice device = 0;
  KMUX_TRY(check(driver, "cuDeviceGet", driver.device_get(&device, ordinal), ordinal));
  return device;
}

struct Capability {
  int major;
  int minor;
};

Result<Capability> capability_of(const DriverTable& driver, CUdevice device) {
  Capability capability{};
  KMUX_ASSIGN(capability.major, device_attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  KMUX_ASSIGN(capability.minor, device_attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  return capability;
}

// "13.0" of 13000.
Result<std::string> driver_version(const DriverTable& driver, int ordinal) {
  int version = 0;
  KMUX_TRY(check(driver, "cuDriverGetVersion", driver.driver_version(&version), ordinal));
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

Result<int> device_count() {
  KMUX_ASSIGN(const DriverTable* const driver, driver_table());
  int count = 0;
  const CUresult result = driver->device_count(&count);
  if (result == CUDA_SUCCESS) return count;
  FailureText failure;
  return failure.status(fail_call(*driver, failure.sink(), "cuDeviceGetCount", result, "%s", "")).error();
}

Result<Arch> device_arch(int ordinal) {
  KMUX_ASSIGN(const DriverTable* const driver, driver_table());
  KMUX_ASSIGN(const CUdevice device, find_device(*driver, ordinal));
  KMUX_ASSIGN(const Capability capability, capability_of(*driver, device));
  return arch_of_capability(capability.major, capability.minor);
}

Result<Json> device_properties(int ordinal) {
  KMUX_ASSIGN(const DriverTable* const driver, driver_table());
  KMUX_ASSIGN(const CUdevice device, find_device(*driver, ordinal));
  KMUX_ASSIGN(const Capability capability, capability_of(*driver, device));
  std::array<char, 256> name{};
  KMUX_TRY(check(*driver, "cuDeviceGetName", driver->device_name(name.data(), name.size(), device), ordinal));
  std::size_t bytes = 0;
  KMUX_TRY(check(*driver, "cuDeviceTotalMem", driver->device_total_memory(&bytes, device), ordinal));
  Json json;
  json["name"] = std::string(name.data());
  json["arch"] = to_string(arch_of_capability(capability.major, capability.minor));
  json["compute_capability"] = std::to_string(capability.major) + "." + std::to_string(capability.minor);
  json["memory_bytes"] = std::uint64_t{bytes};
  KMUX_ASSIGN(json["driver_version"], driver_version(*driver, ordinal));
  KMUX_ASSIGN(json["multiprocessors"], device_attribute(*driver, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  KMUX_ASSIGN(json["l2_bytes"], device_attribute(*driver, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  KMUX_ASSIGN(json["shared_memory_bytes_per_block"],
              device_attribute(*driver, device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  return json;
}

Result<int> device_attribute(const DriverTable& driver, CUdevice device, CUdevice_attribute attribute) {
  int value = 0;
  const CUresult result = driver.device_attribute(&value, attribute, device);
  if (result == CUDA_SUCCESS) return value;
  FailureText failure;
  return failure
      .status(fail_call(driver, failure.sink(), "cuDeviceGetAttribute", result, "attribute %d",
                        static_cast<int>(attribute)))
      .error();
}

}  // namespace kmux::nvidia
