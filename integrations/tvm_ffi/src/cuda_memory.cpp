// kmux.cuda_device_of, kmux.wait_for_stream: the consumer's part of `__cuda_array_interface__`.

#include <algorithm>
#include <cstdint>
#include <dlfcn.h>
#include <vector>

#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/reflection/registry.h>

#include "kmux/device.h"
#include "kmux/runtime.h"

#include "raised.h"

namespace kmux::bridge {
namespace {

namespace refl = ffi::reflection;

using PointerAttribute = int (*)(void* value, int attribute, std::uint64_t address);

/// Returns the function of the driver that the array's library has loaded; null if none is loaded.
PointerAttribute pointer_attribute() {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return driver == nullptr ? nullptr : reinterpret_cast<PointerAttribute>(dlsym(driver, "cuPointerGetAttribute"));
}

/// Returns the ordinal of the device of the memory at `address`; -1 if the driver does not know it, or without a
/// driver.
std::int64_t cuda_device_of(std::int64_t address) {
  constexpr int kDeviceOrdinal = 9;  // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
  const PointerAttribute attribute = pointer_attribute();
  int ordinal = -1;
  const bool is_known =
      attribute != nullptr && attribute(&ordinal, kDeviceOrdinal, static_cast<std::uint64_t>(address)) == 0;
  return is_known ? ordinal : -1;
}

Device device_at(DLDevice wanted) {
  const auto runtime = value_of(Runtime::default_runtime());
  const std::vector<Device> all = value_of(devices(*runtime));
  const auto found = std::ranges::find(all, Device::foreign(wanted));
  return found == all.end() ? Device::foreign(wanted) : *found;
}

/// Makes later work on the current stream of that device wait, on the device, for the present work of stream
/// `producer`.
void wait_for_stream(std::int64_t ordinal, std::int64_t producer) {
  constexpr std::int64_t kLegacyDefault = 1;  // the driver's other name for the default stream
  const DLDevice where{kDLCUDA, static_cast<std::int32_t>(ordinal)};
  void* const consumer = TVMFFIEnvGetStream(where.device_type, where.device_id);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how Python has it
  void* const behind = producer == kLegacyDefault ? nullptr : reinterpret_cast<void*>(producer);
  if (behind == consumer) return;
  const Device device = device_at(where);
  const Event reached = value_of(Event::create(device));
  value_of(reached.record({behind}));
  value_of(Stream::borrow(device, consumer).wait(reached));
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::GlobalDef().def("kmux.cuda_device_of", cuda_device_of).def("kmux.wait_for_stream", wait_for_stream);
}

}  // namespace kmux::bridge
