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

/// Part "meta.json": the facts of the code that `load` needs, and how the code was built.
struct Meta {
  std::string engine;                 // "clang": relocatable objects; "host": a shared library
  std::string entry;                  // the launcher's symbol
  std::string triple;
  std::string cpu;
  std::vector<std::string> features;  // instruction-set features that the code may use
  std::string compiler;
  std::string tier;
  std::vector<std::string> flags;
  bool on_grid = false;               // kernels run on grids of blocks (runtime/launch.h)
  bool on_fibers = false;             // has kernels that run each thread on a separate stack
  bool operator==(const Meta&) const = default;
};

std::string dump_meta(const Meta& meta);

/// Returns the Meta that `dump_meta` has written.
///
/// Errors: invalid_argument if `text` is invalid.
Result<Meta> parse_meta(std::string_view text);

}  // namespace kmux::cpu
