#include "nvidia/devices.h"

#include <algorithm>
#include <bit>

#include "kmux/failure_text.h"

#include "nvidia/device_facts.h"
#include "nvidia/launch/driver_error.h"
#include "nvidia/launch/relaxed_capture.h"

namespace kmux::nvidia {
namespace {

constexpr std::size_t kPoolAlignment = 256;  // CUDA C++ Programming Guide, "Device Memory Accesses"

CUdeviceptr address_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }
CUstream stream_of(void* stream) { return static_cast<CUstream>(stream); }
CUevent event_of(void* event) { return static_cast<CUevent>(event); }

Status check_alignment(std::size_t alignment) {
  if (alignment != 0 && !std::has_single_bit(alignment)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "alignment " + std::to_string(alignment) + " is not a power of two. Use one.");
  }
  if (alignment <= kPoolAlignment) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "alignment " + std::to_string(alignment) +
                        " is more than the 256 bytes that the memory pool of a device gives. Ask for that much more "
                        "memory and round the address up.");
}

struct DriverCall {
  const char* name;
  CUresult result;
};

DriverCall start_copy(const DriverTable& driver, CUstream stream, void* to, const void* from, std::size_t bytes,
                      kmux_copy_kind kind) {
  switch (kind) {
    case KMUX_COPY_HOST_TO_DEVICE:
      return {"cuMemcpyHtoDAsync", driver.copy_to_device(address_of(to), from, bytes, stream)};
    case KMUX_COPY_DEVICE_TO_HOST:
      return {"cuMemcpyDtoHAsync", driver.copy_to_host(to, address_of(from), bytes, stream)};
    case KMUX_COPY_DEVICE_TO_DEVICE:
      break;
  }
  return {"cuMemcpyAsync", driver.copy(address_of(to), address_of(from), bytes, stream)};
}

int read_elapsed(const OpenedDevice& device, CUevent begin, CUevent end, float* milliseconds, kmux_sink error) {
  const DriverTable& driver = device.driver();
  for (const CUevent event : {begin, end}) {
    if (const int code = check_call(device, "cuEventSynchronize", driver.event_synchronize(event), error)) return code;
  }
  const CUresult result = driver.event_elapsed(milliseconds, begin, end);
  if (result != CUDA_ERROR_INVALID_HANDLE) return check_call(device, "cuEventElapsedTime", result, error);
  return fail(error, KMUX_INVALID_ARGUMENT,
              "an event was never recorded (cuEventElapsedTime failed with 400 CUDA_ERROR_INVALID_HANDLE). Record both "
              "before asking.");
}

}  // namespace

Devices::~Devices() {
  for (const std::atomic<OpenedDevice*>& each : devices_) {
    const std::unique_ptr<OpenedDevice> device(each.load());
    if (device == nullptr) continue;
    release(device->context().ordinal, [](OpenedDevice& on, kmux_sink error) { return on.free_flush_memory(error); });
    FailureText failure;
    log_failure(failure.status(device->close(failure.sink())));
  }
}

Result<OpenedDevice*> Devices::opened(int ordinal) {
  const auto index = static_cast<std::size_t>(ordinal);
  if (index >= kMaxDevices) {
    return make_error(ErrorCode::kInvalidArgument,
                      "device " + std::to_string(ordinal) + " is out of range (0 to 63). Pass an ordinal of a device.");
  }
  if (OpenedDevice* const device = devices_[index].load(std::memory_order_acquire)) return device;
  const std::lock_guard lock(opening_);
  if (OpenedDevice* const device = devices_[index].load(std::memory_order_acquire)) return device;
  FailureText failure;
  const DriverTable* const driver = open_driver(failure.sink());
  if (driver == nullptr) return failure.unavailable();
  KMUX_ASSIGN(std::unique_ptr<OpenedDevice> device, OpenedDevice::open(*driver, ordinal));
  devices_[index].store(device.get(), std::memory_order_release);
  return device.release();
}

template <class Action>
Status Devices::in_context(int ordinal, Action action) {
  KMUX_ASSIGN(OpenedDevice* const device, opened(ordinal));
  FailureText failure;
  ContextScope scope(device->driver(), device->context());
  int code = scope.enter(failure.sink());
  if (code == KMUX_OK) code = scope.leave(action(*device, failure.sink()), failure.sink());
  return failure.status(code);
}

template <class Action>
void Devices::release(int ordinal, Action action) noexcept {
  bool done = false;
  const auto once = [&] {
    return in_context(ordinal, [&](OpenedDevice& on, kmux_sink error) {
      done = true;
      return action(on, error);
    });
  };
  log_failure(once());
  if (!done) log_failure(once());
}

void Devices::log_failure(const Status& status) const noexcept {
  if (!status.ok()) host_.log(Host::Level::kWarning, status.error().message);
}

Result<int> Devices::count() { return device_count(); }

Result<Json> Devices::properties(int device) { return device_properties(device); }

Result<void*> Devices::allocate(int device, void* stream, std::size_t bytes, std::size_t alignment) {
  KMUX_TRY(check_alignment(alignment));
  CUdeviceptr address = 0;
  Status status = in_context(device, [&](const OpenedDevice& on, kmux_sink error) {
    const std::size_t wanted = std::max<std::size_t>(bytes, 1);
    const CUresult result = on.driver().allocate(&address, wanted, on.pool(), stream_of(stream));
    if (result == CUDA_SUCCESS) return int{KMUX_OK};
    return fail_call(on.driver(), error, "cuMemAllocFromPoolAsync", result, "%zu bytes on device %d", wanted, device);
  });
  void* const memory = std::bit_cast<void*>(address);
  if (status.ok()) return memory;
  free(device, stream, memory);  // made, but the context before could not be restored
  return std::move(status).error();
}

void Devices::free(int device, void* stream, void* address) noexcept {
  if (address == nullptr) return;
  release(device, [&](const OpenedDevice& on, kmux_sink error) {
    return check_call(on, "cuMemFreeAsync", on.driver().free(address_of(address), stream_of(stream)), error);
  });
}

Status Devices::copy(int device, void* stream, void* to, const void* from, std::size_t bytes, kmux_copy_kind kind) {
  if (bytes == 0) return Ok{};
  return in_context(device, [&](const OpenedDevice& on, kmux_sink error) {
    const DriverCall call = start_copy(on.driver(), stream_of(stream), to, from, bytes, kind);
    if (call.result == CUDA_SUCCESS) return int{KMUX_OK};
    return fail_call(on.driver(), error, call.name, call.result, "%zu bytes from %p to %p, device %d", bytes, from, to,
                     device);
  });
}

Status Devices::memset(int device, void* stream, void* address, std::uint8_t value, std::size_t bytes) {
  if (bytes == 0) return Ok{};
  return in_context(device, [&](const OpenedDevice& on, kmux_sink error) {
    const CUresult result = on.driver().memset8(address_of(address), value, bytes, stream_of(stream));
    if (result == CUDA_SUCCESS) return int{KMUX_OK};
    return fail_call(on.driver(), error, "cuMemsetD8Async", result, "%zu bytes at %p, device %d", bytes, address,
                     device);
  });
}

Result<DeviceApi::MemoryInfo> Devices::memory_info(int device) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  KMUX_TRY(in_context(device, [&](const OpenedDevice& on, kmux_sink error) {
    return check_call(on, "cuMemGetInfo", on.driver().memory_info(&free_bytes, &total_bytes), error);
  }));
  return MemoryInfo{free_bytes, total_bytes};
}

Result<void*> Devices::stream_create(int device) {
  CUstream stream = nullptr;
  Status status = in_context(device, [&](const OpenedDevice& on, kmux_sink error) {
    return check_call(on, "cuStreamCreate", on.driver().stream_create(&stream, CU_STREAM_NON_BLOCKING), error);
  });
  if (status.ok()) return static_cast<void*>(stream);
  if (stream != nullptr) stream_destroy(device, stream);  // made, but the context before could not be restored
  return std::move(status).error();
}

void Devices::stream_destroy(int device, void* stream) noexcept {
  release(device, [&](const OpenedDevice& on, kmux_sink error) {
    return check_call(on, "cuStreamDestroy", on.driver().stream_destroy(stream_of(stream)), error);
  });
}

Status Devices::stream_synchronize(int device, void* stream) {
  return in_context(device, [&](const OpenedDevice& on, kmux_sink error) {
    return RelaxedCapture::during(on.driver(), error, [&] {
      return check_call(on, "cuStreamSynchronize", on.driver().stream_synchronize(stream_of(stream)), error);
    });
  });
}

Result<void*> Devices::event_create(int device) {
  CUevent event = nullptr;
  Status status = in_context(device, [&](const OpenedDevice& on, kmux_sink error) {
    return check_call(on, "cuEventCreate", on.driver().event_create(&event, 0), error);
  });
  if (status.ok()) return static_cast<void*>(event);
  if (event != nullptr) event_destroy(device, event);  // made, but the context before could not be restored
  return std::move(status).error();
}

void Devices::event_destroy(int device, void* event) noexcept {
  release(device, [&](const OpenedDevice& on, kmux_sink error) {
    return check_call(on, "cuEventDestroy", on.driver().event_destroy(event_of(event)), error);
  });
}

Status Devices::event_record(int device, void* event, void* stream) {
  return in_context(device, [&](const OpenedDevice& on, kmux_sink error) {
    return check_call(on, "cuEventRecord", on.driver().event_record(event_of(event), stream_of(stream)), error);
  });
}

Result<double> Devices::event_elapsed(int device, void* begin, void* end) {
  float milliseconds = 0;
  KMUX_TRY(in_context(device, [&](const OpenedDevice& on, kmux_sink error) {
    return RelaxedCapture::during(
        on.driver(), error, [&] { return read_elapsed(on, event_of(begin), event_of(end), &milliseconds, error); });
  }));
  return double{milliseconds};
}

Status Devices::l2_flush(int device, void* stream) {
  return in_context(device, [&](OpenedDevice& on, kmux_sink error) { return on.flush_l2(stream_of(stream), error); });
}

}  // namespace kmux::nvidia
