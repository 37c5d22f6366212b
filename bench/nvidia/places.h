#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bars/settings.h"

namespace kmux::bench {

/// Where the programs of the bars and the headers that they include are: where this program was built, or as its settings say.
struct Places {
  std::filesystem::path root = setting("root", KMUX_BENCH_ROOT);  // of the source tree
  std::vector<std::string> headers = {KMUX_BENCH_HEADERS, KMUX_BENCH_HEADERS "/cutlass",
                                      setting("headers", KMUX_BENCH_HEADERS)};
  std::filesystem::path programs = std::filesystem::read_symlink("/proc/self/exe").parent_path();
};

inline const Places& places() {
  static const Places places;
  return places;
}

}  // namespace kmux::bench
