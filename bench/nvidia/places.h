#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kmux::bench {

/// Where the programs of the bars and the headers that they include are; set from the command line before any bar.
struct Places {
  std::filesystem::path root = KMUX_BENCH_ROOT;  // of the source tree
  std::vector<std::string> headers = {KMUX_BENCH_HEADERS, KMUX_BENCH_HEADERS "/cutlass"};
  std::filesystem::path programs = std::filesystem::read_symlink("/proc/self/exe").parent_path();
};

inline Places& places() {
  static Places places;
  return places;
}

}  // namespace kmux::bench
