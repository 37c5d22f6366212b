#include "machine_share.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kNoLimitOfV1 = std::uint64_t{1} << 62;  // version 1 writes a huge number instead of "max"

/// Returns the number in a file; `otherwise` for "max" and for a missing file.
std::uint64_t number_in(const fs::path& file, std::uint64_t otherwise) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  return stream >> number ? number : otherwise;
}

/// Returns the number after `key` in a file of "key number" lines, or `otherwise`.
std::uint64_t number_after(const fs::path& file, std::string_view key, std::uint64_t otherwise) {
  std::ifstream stream(file);
  for (std::string word; stream >> word;) {
    std::uint64_t number = 0;
    if (word == key && stream >> number) return number;
    stream.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return otherwise;
}

/// Returns the path of this process below the hierarchy `controller` ("" is version 2), from lines
/// "id:controllers:path".
std::string group_path(const fs::path& root, std::string_view controller) {
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool is_it =
        controller.empty() ? names == ",," : names.find("," + std::string(controller) + ",") != std::string::npos;
    if (is_it) return line.substr(second + 1);
  }
  return {};
}

/// Returns the group's folder and those above it. A container sees its group at the top, whatever the path is.
std::vector<fs::path> groups_of(const fs::path& root, const std::string& mount, std::string_view controller) {
  const fs::path top = root / mount;
  std::vector<fs::path> folders;
  fs::path below = fs::path(group_path(root, controller)).relative_path().lexically_normal();
  for (; !below.empty() && below != "."; below = below.parent_path()) folders.push_back(top / below);
  folders.push_back(top);
  return folders;
}

std::uint64_t left_of(std::uint64_t limit, std::uint64_t used, std::uint64_t reclaimable) {
  const std::uint64_t taken = used - std::min(used, reclaimable);
  return limit - std::min(limit, taken);
}

std::uint64_t left_in_v2(const fs::path& group) {
  const std::uint64_t limit = number_in(group / "memory.max", kUnlimited);
  if (limit == kUnlimited) return kUnlimited;
  return left_of(limit, number_in(group / "memory.current", 0),
                 number_after(group / "memory.stat", "inactive_file", 0));
}

std::uint64_t left_in_v1(const fs::path& group) {
  const std::uint64_t limit = number_in(group / "memory.limit_in_bytes", kUnlimited);
  if (limit >= kNoLimitOfV1) return kUnlimited;
  return left_of(limit, number_in(group / "memory.usage_in_bytes", 0),
                 number_after(group / "memory.stat", "total_inactive_file", 0));
}

std::uint64_t available_on_machine(const fs::path& root) {
  const std::uint64_t kilobytes = number_after(root / "proc/meminfo", "MemAvailable:", kUnlimited / 1024);
  if (kilobytes < kUnlimited / 1024) return kilobytes * 1024;
  return root == linux_root() ? machine_memory().free : kUnlimited;
}

/// Returns the quota as a number of cores, rounded up; without a quota, which version 1 writes as -1, the largest
/// number.
std::size_t whole_cores(std::int64_t quota, std::int64_t period) {
  if (quota <= 0 || period <= 0) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>((quota + period - 1) / period);
}

/// cpu.max: "200000 100000" is two processors, "max 100000" is all.
std::size_t cores_in_v2(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  std::int64_t quota = 0, period = 0;
  return file >> quota >> period ? whole_cores(quota, period) : whole_cores(0, 0);
}

std::size_t cores_in_v1(const fs::path& group) {
  std::int64_t quota = 0, period = 0;
  std::ifstream(group / "cpu.cfs_quota_us") >> quota;
  std::ifstream(group / "cpu.cfs_period_us") >> period;
  return whole_cores(quota, period);
}

std::size_t count_bits(const std::vector<std::uint64_t>& set) {
  std::size_t count = 0;
  for (const std::uint64_t word : set) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

/// Returns a line of /proc/self/status, such as "VmHWM:     1234 kB", in bytes.
std::uint64_t status_bytes(std::string_view key) {
  std::ifstream status(linux_root() / "proc/self/status");
  std::string word;
  while (status >> word) {
    std::uint64_t kilobytes = 0;
    if (word == key && status >> kilobytes) return kilobytes * 1024;
    std::getline(status, word);
  }
  return 0;
}

}  // namespace

std::size_t usable_cores(const fs::path& root) {
  std::size_t cores = cores_of_affinity();
  for (const fs::path& group : groups_of(root, "sys/fs/cgroup", "")) cores = std::min(cores, cores_in_v2(group));
  for (const fs::path& group : groups_of(root, "sys/fs/cgroup/cpu", "cpu")) cores = std::min(cores, cores_in_v1(group));
  return cores;
}

std::uint64_t available_memory(const fs::path& root) {
  std::uint64_t left = available_on_machine(root);
  for (const fs::path& group : groups_of(root, "sys/fs/cgroup", "")) left = std::min(left, left_in_v2(group));
  for (const fs::path& group : groups_of(root, "sys/fs/cgroup/memory", "memory"))
    left = std::min(left, left_in_v1(group));
  return left;
}

std::size_t cores_of_affinity(const GetAffinity& get) {
  constexpr std::size_t kMaxSets = std::size_t{1} << 10;  // of 1,024 processors each
  constexpr std::size_t kWords = 1024 / 64;
  for (std::size_t sets = 1; sets <= kMaxSets; sets *= 2) {
    std::vector<std::uint64_t> set(sets * kWords);  // all zero
    if (get(set.size() * sizeof(std::uint64_t), set.data()) == 0) return std::max<std::size_t>(1, count_bits(set));
    if (errno != EINVAL) break;  // else the kernel's set is larger
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

std::uint64_t resident_bytes() { return status_bytes("VmRSS:"); }

std::uint64_t peak_resident_bytes() {
  const std::uint64_t peak = status_bytes("VmHWM:");
  return peak != 0 ? peak : most_resident(RUSAGE_SELF);
}

}  // namespace kmux
