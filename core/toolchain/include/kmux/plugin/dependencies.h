#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/file_identity.h"

namespace kmux {

/// The artifact part that holds `Dependencies`. An artifact without it is never cached.
inline constexpr std::string_view kDependenciesPart = "deps";

/// The artifact part that marks code as independent of the locations of the folders of option "include_dirs": equal
/// headers in other folders give equal code. Such an artifact is valid for any checkout
/// (docs/design/0062-include-folders.md).
inline constexpr std::string_view kRelocatablePart = "relocatable";

/// The state of the files of `Dependencies`, taken before anything was compiled.
struct DependencySight {
  std::vector<FileIdentity> files;  // of each file, in order
  std::vector<std::string> passed;  // absent places that were folders, sorted
};

/// The files outside the program that a build read through `#include`.
///
/// Paths must be absolute; both lists must be sorted and free of duplicates.
struct Dependencies {
  std::vector<std::string> files;  // absolute paths
  // Places searched before a file was found, where no file existed; or the missing folder on the way there.
  std::vector<std::string> absent;  // see above
  bool complete = true;  // false if more files may have been read: the artifact must not be cached
  /// Detects changes since then, whatever the clock of the file system; nothing if unknown.
  std::optional<DependencySight> seen = {};
  /// True if code may depend on the location of files: one outside /usr `names_its_place`, or an absolute path is
  /// included. Not in the JSON.
  bool tells_places = false;

  /// Compares the files only, not the time of reading.
  bool operator==(const Dependencies& other) const {
    return files == other.files && absent == other.absent && complete == other.complete;
  }
};

/// Merges the files of another part of the build. If both saw the same file in different states, the result is
/// incomplete.
void add(Dependencies& dependencies, const Dependencies& more);

/// Returns the content of the part: {"absent": [...], "files": [...]}, with "complete": false if incomplete, and
/// "seen": {"files": [identities], "passed": [...]} if known.
std::string to_json(const Dependencies& dependencies);

/// Errors: invalid_argument for a text that `to_json` does not produce.
Result<Dependencies> dependencies_from_json(std::string_view json);

/// Returns a stamp that differs once a file of `dependencies` is changed, created, replaced or removed (by
/// `FileIdentity`). Returns an empty string if that cannot be detected: the list is incomplete, or a file is missing or
/// was changed in this tick of the file clock.
std::string file_stamp(const Dependencies& dependencies);

}  // namespace kmux
