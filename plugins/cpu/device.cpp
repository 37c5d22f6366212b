#include "device.h"

#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "engine/host_cpu.h"

namespace kmux::cpu {
namespace {

using Clock = std::chrono::steady_clock;

struct Stream {};  // an address that tells two streams apart

struct Event {
  std::atomic<Clock::rep> recorded{0};  // 0: never
};

constexpr std::size_t kLeastAlignment = 64;
constexpr std::size_t kFlushStep = 64;

// "AMD EPYC 9B45" as /proc/cpuinfo has it, else LLVM's name.
std::string model_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return host_cpu().name;
}

std::size_t cache_bytes() {
  const long last_level = sysconf(_SC_LEVEL3_CACHE_SIZE);
  const long second_level = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return static_cast<std::size_t>(std::max({last_level, second_level, 8L << 20}));
}

std::uint64_t bytes_of(unsigned long pages, unsigned unit) { return std::uint64_t{pages} * unit; }

}  // namespace

Status check_device(int device) {
  if (device == 0) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "device " + std::to_string(device) + " does not exist (backend cpu has device 0 only). Use 0.");
}

Result<int> CpuDevices::count() { return 1; }

Result<Json> CpuDevices::properties(int device) {
  KMUX_TRY(check_device(device));
  KMUX_ASSIGN(const MemoryInfo memory, memory_info(device));
  Json::Array features(host_cpu().features.begin(), host_cpu().features.end());
  return Json(Json::Object{{"name", model_name()},
                           {"arch", host_cpu().name},
                           {"cores", std::int64_t{sysconf(_SC_NPROCESSORS_ONLN)}},
                           {"features", std::move(features)},
                           {"memory_bytes", memory.total_bytes}});
}

Result<void*> CpuDevices::allocate(int device, void*, std::size_t bytes, std::size_t alignment) {
  KMUX_TRY(check_device(device));
  if (alignment != 0 && !std::has_single_bit(alignment)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "alignment " + std::to_string(alignment) + " is not a power of two. Use one.");
  }
  void* address = nullptr;
  const std::size_t wanted = std::max(alignment, kLeastAlignment);
  if (posix_memalign(&address, wanted, std::max<std::size_t>(bytes, 1)) == 0) return address;
  return make_error(ErrorCode::kUnavailable, "the machine has no " + std::to_string(bytes) +
                                                 " bytes of memory left. Use smaller tensors or free some.");
}

void CpuDevices::free(int, void*, void* address) noexcept { std::free(address); }

Status CpuDevices::copy(int device, void*, void* to, const void* from, std::size_t bytes, kmux_copy_kind) {
  KMUX_TRY(check_device(device));
  if (bytes > 0) std::memmove(to, from, bytes);
  return Ok{};
}

Status CpuDevices::memset(int device, void*, void* address, std::uint8_t value, std::size_t bytes) {
  KMUX_TRY(check_device(device));
  if (bytes > 0) std::memset(address, value, bytes);
  return Ok{};
}

Result<DeviceApi::MemoryInfo> CpuDevices::memory_info(int device) {
  KMUX_TRY(check_device(device));
  struct sysinfo info{};
  sysinfo(&info);
  return MemoryInfo{bytes_of(info.freeram + info.bufferram, info.mem_unit), bytes_of(info.totalram, info.mem_unit)};
}

Result<void*> CpuDevices::stream_create(int device) {
  KMUX_TRY(check_device(device));
  return static_cast<void*>(new Stream);
}

void CpuDevices::stream_destroy(int, void* stream) noexcept { delete static_cast<Stream*>(stream); }

Status CpuDevices::stream_synchronize(int device, void*) { return check_device(device); }

Result<void*> CpuDevices::event_create(int device) {
  KMUX_TRY(check_device(device));
  return static_cast<void*>(new Event);
}

void CpuDevices::event_destroy(int, void* event) noexcept { delete static_cast<Event*>(event); }

Status CpuDevices::event_record(int device, void* event, void*) {
  KMUX_TRY(check_device(device));
  static_cast<Event*>(event)->recorded = Clock::now().time_since_epoch().count();
  return Ok{};
}

Result<double> CpuDevices::event_elapsed(int device, void* begin, void* end) {
  KMUX_TRY(check_device(device));
  const Clock::rep from = static_cast<Event*>(begin)->recorded;
  const Clock::rep to = static_cast<Event*>(end)->recorded;
  if (from == 0 || to == 0) {
    return make_error(ErrorCode::kInvalidArgument, "an event was never recorded. Record both before asking.");
  }
  return std::chrono::duration<double, std::milli>(Clock::duration(to - from)).count();
}

Status CpuDevices::l2_flush(int device, void*) {
  KMUX_TRY(check_device(device));
  const std::lock_guard lock(mutex_);
  flush_buffer_.resize(2 * cache_bytes());
  for (std::size_t i = 0; i < flush_buffer_.size(); i += kFlushStep) {
    volatile unsigned char& byte = flush_buffer_[i];
    byte = static_cast<unsigned char>(byte + 1);
  }
  return Ok{};
}

// Whatever was before is done.
Status CpuDevices::stream_wait_event(int device, void*, void*) { return check_device(device); }

}  // namespace kmux::cpu
