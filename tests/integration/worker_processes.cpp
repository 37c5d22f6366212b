#include "integration/worker_processes.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace kmux::test {

std::vector<pid_t> children_of(pid_t parent, const std::string& name) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string stat;
    std::getline(file, stat, '\0');
    const auto begin = stat.find('('), end = stat.rfind(')');
    int its_parent = 0;
    if (end == std::string::npos || stat.substr(begin + 1, end - begin - 1) != name) continue;
    if (std::sscanf(stat.c_str() + end + 1, " %*c %d", &its_parent) != 1 || its_parent != parent) continue;
    children.push_back(static_cast<pid_t>(std::stol(entry.path().filename())));
  }
  return children;
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator descriptors("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(descriptors), end(descriptors)));
}

}  // namespace kmux::test
