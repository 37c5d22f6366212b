#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// The name of the artifact's part that holds `Dependencies`. What a plugin builds without it is never kept.
inline constexpr std::string_view kDependenciesPart = "deps";

/// The files outside the program that a build read through `#include`.
///
/// Paths are absolute; both lists are sorted and without repetition.
struct Dependencies {
  std::vector<std::string> files;  // absolute paths
  // Where a file would have been found first, had it been there; or the missing folder on the way to it.
  std::vector<std::string> absent;  // see above
  bool complete = true;  // else more files may have been read than are known: the artifact must not be cached
  bool operator==(const Dependencies&) const = default;
};

/// The content of the part: {"absent": [...], "files": [...]}, with "complete": false if it is.
std::string to_json(const Dependencies& dependencies);

/// Errors: invalid_argument for anything that `to_json` does not write.
Result<Dependencies> dependencies_from_json(std::string_view json);

/// Other when a file of `dependencies` is changed, made, replaced or removed (by `FileIdentity`); empty where that cannot be
/// seen: one is missing, or was changed in this tick of the file clock.
std::string file_stamp(const Dependencies& dependencies);

}  // namespace kmux
