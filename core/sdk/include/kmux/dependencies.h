#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// The name of the artifact's part that holds `Dependencies`. Without it an artifact depends on no file.
inline constexpr std::string_view kDependenciesPart = "deps";

/// The files outside the program that a build read through `#include`.
///
/// Paths are absolute; both lists are sorted and without repetition.
struct Dependencies {
  std::vector<std::string> files;
  std::vector<std::string> absent;  // where a file of that name would have been found first, had it been there
  bool operator==(const Dependencies&) const = default;
};

/// The content of the part: {"absent": [...], "files": [...]}.
std::string to_json(const Dependencies& dependencies);

/// Errors: invalid_argument for anything that `to_json` does not write.
Result<Dependencies> dependencies_from_json(std::string_view json);

}  // namespace kmux
