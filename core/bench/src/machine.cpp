#include "kmux/bench/machine.h"

#include <fstream>
#include <string>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

#include "kmux/device.h"
#include "kmux/version.h"

namespace kmux::bench {
namespace {

/// The value of the first line "KEY : VALUE" of a file.
std::string field_of(const char* file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with(key)) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::string system_text() {
  utsname name{};
  uname(&name);
  return std::string(name.sysname) + " " + name.release + " " + name.machine;
}

std::int64_t memory_bytes() { return std::int64_t{sysconf(_SC_PHYS_PAGES)} * std::int64_t{sysconf(_SC_PAGESIZE)}; }

Json describe_devices(Runtime& runtime) {
  Json::Array list;
  const auto found = devices(runtime);
  if (!found) return list;
  for (const Device& device : *found) {
    if (device.is_host() && device.plugin() == nullptr) continue;
    Json::Object entry{{"device", device.to_string()}};
    if (const auto properties = device.properties()) entry.emplace("properties", *properties);
    list.emplace_back(std::move(entry));
  }
  return list;
}

}  // namespace

Json describe_machine(Runtime& runtime) {
  return Json::Object{{"processor", field_of("/proc/cpuinfo", "model name")},
                      {"cores", static_cast<std::int64_t>(std::thread::hardware_concurrency())},
                      {"memory_bytes", memory_bytes()},
                      {"system", system_text()},
                      {"kmux", version()},
                      {"devices", describe_devices(runtime)}};
}

}  // namespace kmux::bench
