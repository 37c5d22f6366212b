#include "cpu_affinity.h"

#include <algorithm>
#include <cerrno>
#include <thread>
#include <vector>

namespace kmux {

std::size_t cores_of_affinity(const GetAffinity& get) {
  constexpr std::size_t kMostSets = std::size_t{1} << 10;  // of 1,024 processors each
  for (std::size_t sets = 1; sets <= kMostSets; sets *= 2) {
    std::vector<cpu_set_t> set(sets);  // all zero
    const std::size_t bytes = sets * sizeof(cpu_set_t);
    if (get(bytes, set.data()) == 0) return static_cast<std::size_t>(std::max(1, CPU_COUNT_S(bytes, set.data())));
    if (errno != EINVAL) break;  // else the kernel's set is larger
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace kmux
