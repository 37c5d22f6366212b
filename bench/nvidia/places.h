#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bars/settings.h"

namespace kmux::bench {

/// The places of the programs of the bars and of their headers: by default those of the build, else by the settings.
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
