#pragma once

#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux::opencl {

/// Names of the parts of an artifact.
inline constexpr const char* kCodePart = "code";          // a program binary of the driver
inline constexpr const char* kLauncherPart = "launcher";  // the plan, for people
inline constexpr const char* kMetaPart = "meta.json";

/// Part "meta.json": what `load` must know of the code.
struct Meta {
  std::string arch;    // of the device that it is for
  std::string driver;  // its version
  bool operator==(const Meta&) const = default;
};

std::string dump_meta(const Meta& meta);

/// Errors: invalid_argument for a text that `dump_meta` does not write.
Result<Meta> parse_meta(std::string_view text);

}  // namespace kmux::opencl
