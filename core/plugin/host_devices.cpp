#include "kmux/plugin/host_devices.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include "kmux/plugin/platform.h"

namespace kmux {
namespace {

using Clock = std::chrono::steady_clock;

struct Stream {};  // an address that identifies a stream

struct Event {
  std::atomic<Clock::rep> recorded{0};  // 0: never
};

constexpr std::size_t kMinAlignment = 64;

}  // namespace

Status check_host_device(const char* backend, int device) {
  if (device == 0) return Ok{};
  return make_error(ErrorCode::kInvalidArgument, "device " + std::to_string(device) + " does not exist (backend " +
                                                     backend + " has device 0 only). Use 0.");
}

Status HostDevices::check(int device) const { return check_host_device(backend_, device); }

Result<int> HostDevices::count() { return 1; }

Result<void*> HostDevices::allocate(int device, void*, std::size_t bytes, std::size_t alignment) {
  KMUX_TRY(check(device));
  if (alignment != 0 && !std::has_single_bit(alignment)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "alignment " + std::to_string(alignment) + " is not a power of two. Use one.");
  }
  void* address = nullptr;
  const std::size_t wanted = std::max(alignment, kMinAlignment);
  if (posix_memalign(&address, wanted, std::max<std::size_t>(bytes, 1)) == 0) return address;
  return make_error(ErrorCode::kUnavailable, "the machine has no " + std::to_string(bytes) +
                                                 " bytes of memory left. Use smaller tensors or free some.");
}

void HostDevices::free(int, void*, void* address) noexcept { std::free(address); }

Status HostDevices::copy(int device, void*, void* to, const void* from, std::size_t bytes, kmux_copy_kind) {
  KMUX_TRY(check(device));
  if (bytes > 0) std::memmove(to, from, bytes);
  return Ok{};
}

Status HostDevices::memset(int device, void*, void* address, std::uint8_t value, std::size_t bytes) {
  KMUX_TRY(check(device));
  if (bytes > 0) std::memset(address, value, bytes);
  return Ok{};
}

Result<DeviceApi::MemoryInfo> HostDevices::memory_info(int device) {
  KMUX_TRY(check(device));
  const MachineMemory memory = machine_memory();
  return MemoryInfo{memory.free, memory.total};
}

Result<void*> HostDevices::stream_create(int device) {
  KMUX_TRY(check(device));
  return static_cast<void*>(new Stream);
}

void HostDevices::stream_destroy(int, void* stream) noexcept { delete static_cast<Stream*>(stream); }

Status HostDevices::stream_synchronize(int device, void*) { return check(device); }

Result<void*> HostDevices::event_create(int device) {
  KMUX_TRY(check(device));
  return static_cast<void*>(new Event);
}

void HostDevices::event_destroy(int, void* event) noexcept { delete static_cast<Event*>(event); }

Status HostDevices::event_record(int device, void* event, void*) {
  KMUX_TRY(check(device));
  static_cast<Event*>(event)->recorded = Clock::now().time_since_epoch().count();
  return Ok{};
}

Result<double> HostDevices::event_elapsed(int device, void* begin, void* end) {
  KMUX_TRY(check(device));
  const Clock::rep from = static_cast<Event*>(begin)->recorded;
  const Clock::rep to = static_cast<Event*>(end)->recorded;
  if (from == 0 || to == 0) {
    return make_error(ErrorCode::kInvalidArgument, "an event was never recorded. Record both first.");
  }
  return std::chrono::duration<double, std::milli>(Clock::duration(to - from)).count();
}

// All earlier work has completed already.
Status HostDevices::stream_wait_event(int device, void*, void*) { return check(device); }

Result<void*> HostDevices::host_allocate(int device, std::size_t bytes, std::size_t alignment) {
  return allocate(device, nullptr, bytes, alignment);
}
void HostDevices::host_free(int device, void* address) noexcept { free(device, nullptr, address); }
Result<void*> HostDevices::stream_create_with_priority(int device, int) { return stream_create(device); }

}  // namespace kmux
