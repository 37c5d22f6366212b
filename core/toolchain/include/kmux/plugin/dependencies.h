#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/file_identity.h"

namespace kmux {

/// The name of the artifact's part that holds `Dependencies`. What a plugin builds without it is never kept.
inline constexpr std::string_view kDependenciesPart = "deps";

/// The name of the artifact's part that declares its code free of the places of the folders of option "include_dirs": equal headers
/// in other folders give the same code. Such an artifact is found from any checkout (docs/design/0062-include-folders.md).
inline constexpr std::string_view kRelocatablePart = "relocatable";

/// What the places of `Dependencies` were like when they were looked at, before anything was compiled.
struct DependencySight {
  std::vector<FileIdentity> files;  // of each file, in their order
  std::vector<std::string> passed;  // which of the absent places were folders, sorted
};

/// The files outside the program that a build read through `#include`.
///
/// Paths are absolute; both lists are sorted and without repetition.
struct Dependencies {
  std::vector<std::string> files;  // absolute paths
  // Where a file would have been found first, had it been there; or the missing folder on the way to it.
  std::vector<std::string> absent;  // see above
  bool complete = true;  // else more files may have been read than are known: the artifact must not be cached
  /// Tells a change since then from the state afterwards, whatever the clock of the file system; nothing if it is not known.
  std::optional<DependencySight> seen = {};
  /// True if code may follow where the files lie: one outside /usr `names_its_place`, or an absolute path is included. Not in the JSON.
  bool tells_places = false;

  /// Compares what was read, not when.
  bool operator==(const Dependencies& other) const {
    return files == other.files && absent == other.absent && complete == other.complete;
  }
};

/// Adds what another part of the build read. What both saw, and one differently, makes the sum incomplete.
void add(Dependencies& dependencies, const Dependencies& more);

/// The content of the part: {"absent": [...], "files": [...]}, with "complete": false if it is, and
/// "seen": {"files": [identities], "passed": [...]} if that is known.
std::string to_json(const Dependencies& dependencies);

/// Errors: invalid_argument for anything that `to_json` does not write.
Result<Dependencies> dependencies_from_json(std::string_view json);

/// Other when a file of `dependencies` is changed, made, replaced or removed (by `FileIdentity`); empty where that cannot be
/// seen: one is missing, or was changed in this tick of the file clock.
std::string file_stamp(const Dependencies& dependencies);

}  // namespace kmux
