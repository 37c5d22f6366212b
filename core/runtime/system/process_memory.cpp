#include "process_memory.h"

#include <fstream>
#include <string>
#include <string_view>

namespace kmux {
namespace {

/// A line of /proc/self/status, "VmHWM:     1234 kB", in bytes.
std::uint64_t status_bytes(std::string_view key) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    std::uint64_t kilobytes = 0;
    if (word == key && status >> kilobytes) return kilobytes * 1024;
    std::getline(status, word);
  }
  return 0;
}

}  // namespace

std::uint64_t resident_bytes() { return status_bytes("VmRSS:"); }
std::uint64_t peak_resident_bytes() { return status_bytes("VmHWM:"); }

}  // namespace kmux
