#include "device.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>

#include "engine/host_cpu.h"

namespace kmux::cpu {
namespace {

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

}  // namespace

Status check_device(int device) { return check_host_device("cpu", device); }

Result<Json> CpuDevices::properties(int device) {
  KMUX_TRY(check(device));
  KMUX_ASSIGN(const MemoryInfo memory, memory_info(device));
  Json::Array features(host_cpu().features.begin(), host_cpu().features.end());
  return Json(Json::Object{{"name", model_name()},
                           {"arch", host_cpu().name},
                           {"cores", std::int64_t{sysconf(_SC_NPROCESSORS_ONLN)}},
                           {"features", std::move(features)},
                           {"memory_bytes", memory.total_bytes}});
}

Status CpuDevices::l2_flush(int device, void*) {
  KMUX_TRY(check(device));
  const std::lock_guard lock(mutex_);
  flush_buffer_.resize(2 * cache_bytes());
  for (std::size_t i = 0; i < flush_buffer_.size(); i += kFlushStep) {
    volatile unsigned char& byte = flush_buffer_[i];
    byte = static_cast<unsigned char>(byte + 1);
  }
  return Ok{};
}

}  // namespace kmux::cpu
