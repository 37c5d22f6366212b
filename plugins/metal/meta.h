#pragma once

#include <string>
#include <string_view>

#include "kmux/error.h"

#include "options.h"

namespace kmux::metal {

/// Names of the parts of an artifact.
inline constexpr const char* kCodePart = "code";          // MSL, or a Metal library
inline constexpr const char* kLauncherPart = "launcher";  // the plan and its bindings, for people
inline constexpr const char* kMetaPart = "meta.json";

/// Part "meta.json": what `load` must know of the code.
struct Meta {
  bool is_library = false;  // else MSL
  BuildOptions options;
  bool operator==(const Meta&) const = default;
};

std::string dump_meta(const Meta& meta);

/// Errors: invalid_argument if `text` is not what `dump_meta` writes.
Result<Meta> parse_meta(std::string_view text);

}  // namespace kmux::metal
