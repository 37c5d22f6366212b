#include "device.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/sysinfo.h>

namespace kmux::null {
namespace {

using Clock = std::chrono::steady_clock;

struct Stream {};  // an address that tells two streams apart

struct Event {
  Clock::time_point recorded = {};
};

constexpr std::size_t kLeastAlignment = 64;
constexpr int kUnwritten = 0xcd;  // so that nobody takes what was left in memory for a result

}  // namespace

Status check_device(int device) {
  if (device == 0) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "device " + std::to_string(device) + " does not exist (there is device 0 only). Use 0.");
}

Result<int> NullDevices::count() { return 1; }

Result<Json> NullDevices::properties(int device) {
  KMUX_TRY(check_device(device));
  return Json(Json::Object{{"name", "a device that does nothing"}, {"arch", "none"}});
}

Result<void*> NullDevices::allocate(int device, void*, std::size_t bytes, std::size_t alignment) {
  KMUX_TRY(check_device(device));
  if (alignment != 0 && !std::has_single_bit(alignment)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "alignment " + std::to_string(alignment) + " is not a power of two. Use one.");
  }
  void* address = nullptr;
  const std::size_t wanted = std::max(alignment, kLeastAlignment);
  if (posix_memalign(&address, wanted, std::max<std::size_t>(bytes, 1)) != 0) {
    return make_error(ErrorCode::kUnavailable,
                      "there are no " + std::to_string(bytes) + " bytes of memory left. Use smaller tensors.");
  }
  std::memset(address, kUnwritten, bytes);
  return address;
}

void NullDevices::free(int, void*, void* address) noexcept { std::free(address); }

Status NullDevices::copy(int device, void*, void* to, const void* from, std::size_t bytes, kmux_copy_kind) {
  KMUX_TRY(check_device(device));
  if (bytes > 0) std::memmove(to, from, bytes);
  return Ok{};
}

Status NullDevices::memset(int device, void*, void* address, std::uint8_t value, std::size_t bytes) {
  KMUX_TRY(check_device(device));
  if (bytes > 0) std::memset(address, value, bytes);
  return Ok{};
}

Result<DeviceApi::MemoryInfo> NullDevices::memory_info(int device) {
  KMUX_TRY(check_device(device));
  struct sysinfo info{};
  sysinfo(&info);
  return MemoryInfo{std::uint64_t{info.freeram} * info.mem_unit, std::uint64_t{info.totalram} * info.mem_unit};
}

Result<void*> NullDevices::stream_create(int device) {
  KMUX_TRY(check_device(device));
  return static_cast<void*>(new Stream);
}

void NullDevices::stream_destroy(int, void* stream) noexcept { delete static_cast<Stream*>(stream); }

Status NullDevices::stream_synchronize(int device, void*) { return check_device(device); }

Result<void*> NullDevices::event_create(int device) {
  KMUX_TRY(check_device(device));
  return static_cast<void*>(new Event);
}

void NullDevices::event_destroy(int, void* event) noexcept { delete static_cast<Event*>(event); }

Status NullDevices::event_record(int device, void* event, void*) {
  KMUX_TRY(check_device(device));
  static_cast<Event*>(event)->recorded = Clock::now();
  return Ok{};
}

Result<double> NullDevices::event_elapsed(int device, void* begin, void* end) {
  KMUX_TRY(check_device(device));
  const auto elapsed = static_cast<Event*>(end)->recorded - static_cast<Event*>(begin)->recorded;
  return std::chrono::duration<double, std::milli>(elapsed).count();
}

Status NullDevices::l2_flush(int device, void*) { return check_device(device); }

// Whatever was before is done.
Status NullDevices::stream_wait_event(int device, void*, void*) { return check_device(device); }

}  // namespace kmux::null
