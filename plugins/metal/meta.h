#pragma once

#include <string>
#include <string_view>

#include "kmux/error.h"

#include "options.h"

namespace kmux::metal {

/// Names of the parts of an artifact.
inline constexpr const char* kCodePart = "code";          // MSL, or a Metal library
inline constexpr const char* kLauncherPart = "launcher";  // the plan and its bindings, human-readable
inline constexpr const char* kMetaPart = "meta.json";

/// Part "meta.json": the facts of the code that `load` requires.
struct Meta {
  bool is_library = false;  // a Metal library, otherwise MSL
  BuildOptions options;
  bool operator==(const Meta&) const = default;
};

/// Returns the JSON text of `meta`.
std::string dump_meta(const Meta& meta);

/// Parses the output of `dump_meta`.
///
/// Errors: invalid_argument if `text` is not of that format.
Result<Meta> parse_meta(std::string_view text);

}  // namespace kmux::metal
