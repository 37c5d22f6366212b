#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux::cpu {

/// Names of the parts of an artifact. Ready objects follow as "object.0", "object.1", ...
inline constexpr const char* kCodePart = "code";
inline constexpr const char* kLauncherPart = "launcher";
inline constexpr const char* kMetaPart = "meta.json";
inline constexpr const char* kObjectPart = "object.";

/// Part "meta.json": what `load` must know of the code, and how it came about.
struct Meta {
  std::string engine;                 // "clang": relocatable objects; "host": a shared library
  std::string entry;                  // the launcher's symbol
  std::string triple;
  std::string cpu;
  std::vector<std::string> features;  // that the code may use
  std::string compiler;
  std::string tier;
  std::vector<std::string> flags;
  bool on_grid = false;               // kernels run on grids of blocks (runtime/launch.h)
  bool on_fibers = false;             // has kernels whose threads have a stack each
  bool operator==(const Meta&) const = default;
};

std::string dump_meta(const Meta& meta);

/// Errors: invalid_argument if `text` is not what `dump_meta` writes.
Result<Meta> parse_meta(std::string_view text);

}  // namespace kmux::cpu
