#include "device.h"

#include <bit>
#include <limits>

#include "kmux/failure_text.h"

#include "device_facts.h"
#include "launch/device_scope.h"
#include "opened_hip.h"

namespace kmux::hip {
namespace {

constexpr std::size_t kAlignment = 256;  // of what hipMalloc gives

hipStream_t stream_of(void* stream) { return static_cast<hipStream_t>(stream); }
hipEvent_t event_of(void* event) { return static_cast<hipEvent_t>(event); }

std::string on(int device) { return "device " + std::to_string(device); }
std::string bytes_on(std::size_t bytes, int device) { return std::to_string(bytes) + " bytes on " + on(device); }

Status check_alignment(std::size_t alignment) {
  if (alignment == 0 || (std::has_single_bit(alignment) && alignment <= kAlignment)) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "alignment " + std::to_string(alignment) +
                        " cannot be had (memory of a device is aligned to 256 bytes, and alignments are powers of "
                        "two). Ask for more memory and round the address up.");
}

CopyKind kind_of(kmux_copy_kind kind) {
  switch (kind) {
    case KMUX_COPY_HOST_TO_DEVICE:
      return kHostToDevice;
    case KMUX_COPY_DEVICE_TO_HOST:
      return kDeviceToHost;
    case KMUX_COPY_DEVICE_TO_DEVICE:
      break;
  }
  return kDeviceToDevice;
}

Status read_elapsed(const HipTable& hip, hipEvent_t begin, hipEvent_t end, float& milliseconds) {
  for (const hipEvent_t event : {begin, end}) {
    KMUX_TRY(check(hip, "hipEventSynchronize", hip.event_synchronize(event)));
  }
  const int result = hip.event_elapsed(&milliseconds, begin, end);
  if (result != kInvalidHandle) return check(hip, "hipEventElapsedTime", result);
  return make_error(ErrorCode::kInvalidArgument,
                    "an event was never recorded (hipEventElapsedTime failed with 400). Record both before asking.");
}

}  // namespace

HipDevices::~HipDevices() {
  for (std::size_t i = 0; i < kMaxDevices; ++i) {
    const std::unique_ptr<Opened> device(devices_[i].load());
    if (device == nullptr || device->flush_memory == nullptr) continue;
    const auto free_memory = [&](const HipTable& hip) {
      return check(hip, "hipFree", hip.free(device->flush_memory), on(static_cast<int>(i)));
    };
    log_failure(on_device(static_cast<int>(i), free_memory));
  }
}

Result<const HipTable*> HipDevices::table() {
  if (const HipTable* const hip = hip_.load(std::memory_order_acquire)) return hip;
  KMUX_ASSIGN(const HipTable* const hip, opened_hip(host_));
  hip_.store(hip, std::memory_order_release);
  return hip;
}

template <class Action>
Status HipDevices::on_device(int device, Action action) {
  KMUX_ASSIGN(const HipTable* const hip, table());
  FailureText failure;
  DeviceScope scope(*hip);
  KMUX_TRY(failure.status(scope.enter(device, failure.sink())));
  Status status = action(*hip);
  const int left = scope.leave(KMUX_OK, failure.sink());
  return status.ok() ? failure.status(left) : status;
}

Result<HipDevices::Opened*> HipDevices::opened(const HipTable& hip, int device) {
  const auto index = static_cast<std::size_t>(device);
  if (index >= kMaxDevices) {
    return make_error(ErrorCode::kInvalidArgument,
                      on(device) + " is out of range (0 to 63). Pass an ordinal of a device.");
  }
  if (Opened* const found = devices_[index].load(std::memory_order_acquire)) return found;
  const std::lock_guard lock(opening_);
  if (Opened* const found = devices_[index].load(std::memory_order_acquire)) return found;
  auto made = std::make_unique<Opened>();
  KMUX_TRY(open_pool(hip, device, *made));
  devices_[index].store(made.get(), std::memory_order_release);
  return made.release();
}

// Memory that is freed stays in the pool, so that the next allocation need not ask the system.
Status HipDevices::open_pool(const HipTable& hip, int device, Opened& opened) {
  int pools = 0;
  const bool has_calls = hip.allocate_async && hip.free_async && hip.default_pool && hip.pool_attribute_set;
  if (!has_calls || hip.device_attribute(&pools, kMemoryPoolsSupported, device) != kHipSuccess || pools == 0)
    return Ok{};
  hipMemPool_t pool = nullptr;
  KMUX_TRY(check(hip, "hipDeviceGetDefaultMemPool", hip.default_pool(&pool, device), on(device)));
  std::uint64_t keep_all = std::numeric_limits<std::uint64_t>::max();
  KMUX_TRY(
      check(hip, "hipMemPoolSetAttribute", hip.pool_attribute_set(pool, kPoolReleaseThreshold, &keep_all), on(device)));
  opened.has_pool = true;
  return Ok{};
}

void HipDevices::log_failure(const Status& status) const noexcept {
  if (!status.ok()) host_.log(Host::Level::kWarning, status.error().message);
}

Result<int> HipDevices::count() {
  KMUX_ASSIGN(const HipTable* const hip, table());
  int count = 0;
  KMUX_TRY(check(*hip, "hipGetDeviceCount", hip->device_count(&count)));
  return count;
}

Result<Json> HipDevices::properties(int device) {
  KMUX_ASSIGN(const HipTable* const hip, table());
  return device_properties(*hip, device);
}

Result<void*> HipDevices::allocate(int device, void* stream, std::size_t bytes, std::size_t alignment) {
  KMUX_TRY(check_alignment(alignment));
  void* address = nullptr;
  Status status = on_device(device, [&](const HipTable& hip) -> Status {
    KMUX_ASSIGN(const Opened* const at, opened(hip, device));
    if (bytes == 0) return Ok{};
    if (!at->has_pool) return check(hip, "hipMalloc", hip.allocate(&address, bytes), bytes_on(bytes, device));
    return check(hip, "hipMallocAsync", hip.allocate_async(&address, bytes, stream_of(stream)),
                 bytes_on(bytes, device));
  });
  if (status.ok()) return address;
  free(device, stream, address);  // made, but the device before could not be restored
  return std::move(status).error();
}

void HipDevices::free(int device, void* stream, void* address) noexcept {
  if (address == nullptr) return;
  log_failure(on_device(device, [&](const HipTable& hip) -> Status {
    KMUX_ASSIGN(const Opened* const at, opened(hip, device));
    if (!at->has_pool) return check(hip, "hipFree", hip.free(address), on(device));
    return check(hip, "hipFreeAsync", hip.free_async(address, stream_of(stream)), on(device));
  }));
}

Status HipDevices::copy(int device, void* stream, void* to, const void* from, std::size_t bytes, kmux_copy_kind kind) {
  if (bytes == 0) return Ok{};
  return on_device(device, [&](const HipTable& hip) {
    const int result = hip.copy(to, from, bytes, kind_of(kind), stream_of(stream));
    return check(hip, "hipMemcpyAsync", result, bytes_on(bytes, device));
  });
}

Status HipDevices::memset(int device, void* stream, void* address, std::uint8_t value, std::size_t bytes) {
  if (bytes == 0) return Ok{};
  return on_device(device, [&](const HipTable& hip) {
    return check(hip, "hipMemsetAsync", hip.memset(address, value, bytes, stream_of(stream)), bytes_on(bytes, device));
  });
}

Result<DeviceApi::MemoryInfo> HipDevices::memory_info(int device) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  KMUX_TRY(on_device(device, [&](const HipTable& hip) {
    return check(hip, "hipMemGetInfo", hip.memory_info(&free_bytes, &total_bytes), on(device));
  }));
  return MemoryInfo{free_bytes, total_bytes};
}

Result<void*> HipDevices::stream_create(int device) {
  hipStream_t stream = nullptr;
  Status status = on_device(device, [&](const HipTable& hip) {
    return check(hip, "hipStreamCreateWithFlags", hip.stream_create(&stream, kStreamNonBlocking), on(device));
  });
  if (status.ok()) return static_cast<void*>(stream);
  if (stream != nullptr) stream_destroy(device, stream);
  return std::move(status).error();
}

void HipDevices::stream_destroy(int device, void* stream) noexcept {
  log_failure(on_device(device, [&](const HipTable& hip) {
    return check(hip, "hipStreamDestroy", hip.stream_destroy(stream_of(stream)), on(device));
  }));
}

Status HipDevices::stream_synchronize(int device, void* stream) {
  return on_device(device, [&](const HipTable& hip) {
    return check(hip, "hipStreamSynchronize", hip.stream_synchronize(stream_of(stream)), on(device));
  });
}

Result<void*> HipDevices::event_create(int device) {
  hipEvent_t event = nullptr;
  Status status = on_device(
      device, [&](const HipTable& hip) { return check(hip, "hipEventCreate", hip.event_create(&event), on(device)); });
  if (status.ok()) return static_cast<void*>(event);
  if (event != nullptr) event_destroy(device, event);
  return std::move(status).error();
}

void HipDevices::event_destroy(int device, void* event) noexcept {
  log_failure(on_device(device, [&](const HipTable& hip) {
    return check(hip, "hipEventDestroy", hip.event_destroy(event_of(event)), on(device));
  }));
}

Status HipDevices::event_record(int device, void* event, void* stream) {
  return on_device(device, [&](const HipTable& hip) {
    return check(hip, "hipEventRecord", hip.event_record(event_of(event), stream_of(stream)), on(device));
  });
}

Result<double> HipDevices::event_elapsed(int device, void* begin, void* end) {
  float milliseconds = 0;
  KMUX_TRY(on_device(
      device, [&](const HipTable& hip) { return read_elapsed(hip, event_of(begin), event_of(end), milliseconds); }));
  return double{milliseconds};
}

// Writes twice the L2 cache, so that nothing from before is in it.
Status HipDevices::l2_flush(int device, void* stream) {
  return on_device(device, [&](const HipTable& hip) -> Status {
    KMUX_ASSIGN(Opened* const at, opened(hip, device));
    const std::lock_guard lock(at->flushing);
    if (at->flush_memory == nullptr) KMUX_TRY(make_flush_memory(hip, device, *at));
    if (at->flush_bytes == 0) return Ok{};
    return check(hip, "hipMemsetAsync", hip.memset(at->flush_memory, 0, at->flush_bytes, stream_of(stream)),
                 on(device));
  });
}

Status HipDevices::make_flush_memory(const HipTable& hip, int device, Opened& at) {
  int bytes = 0;
  KMUX_TRY(check(hip, "hipDeviceGetAttribute", hip.device_attribute(&bytes, kL2CacheSize, device), on(device)));
  if (bytes <= 0) return Ok{};
  const std::size_t twice = 2 * static_cast<std::size_t>(bytes);
  KMUX_TRY(check(hip, "hipMalloc", hip.allocate(&at.flush_memory, twice), bytes_on(twice, device)));
  at.flush_bytes = twice;
  return Ok{};
}

}  // namespace kmux::hip
