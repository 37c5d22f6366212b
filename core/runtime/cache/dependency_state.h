#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dependencies.h"
#include "kmux/error.h"

namespace kmux {

/// A moment on the clock that stamps files (it ticks every few milliseconds), in nanoseconds since 1970.
using FileTime = std::int64_t;

FileTime to_file_time(const timespec& time);

/// Now. A file that changes later is stamped with this or more.
FileTime file_time_now();

/// What the files and the absent candidates of a build were like.
struct DependencyState {
  struct File {
    std::string path;
    std::uint64_t size = 0;
    FileTime mtime_ns = 0;
    std::string sha256;
    bool operator==(const File&) const = default;
  };
  /// Candidates in one folder. While the folder's ctime is the same, nothing was added to it.
  struct Folder {
    static constexpr FileTime kNotThere = -1;
    static constexpr FileTime kUnsettled = 0;  // it had just changed, so its ctime proves nothing
    std::string path;
    FileTime ctime_ns = kUnsettled;
    std::vector<std::string> absent;  // whole paths
    bool operator==(const Folder&) const = default;
  };
  std::vector<File> files;
  std::vector<Folder> folders;

  bool empty() const { return files.empty() && folders.empty(); }
  bool operator==(const DependencyState&) const = default;
};

/// Reads and hashes the dependencies of a build that began at `began`.
///
/// Errors: unavailable if the dependencies are incomplete; naming the path, if a file changed since `began` or cannot be
///         read, or an absent one is there now: what the build saw is then not known.
Result<DependencyState> capture(const Dependencies& dependencies, FileTime began);

/// Why an entry that depends on `state` is out of date, or nothing if it is not. Files are hashed only if their size is
/// the same and their time is not; candidates are looked for only if their folder changed.
std::optional<std::string> find_change(const DependencyState& state);

/// As `state` is seen from another machine, where times say nothing: everything in it is looked at.
DependencyState without_times(DependencyState state);

/// The second level of the key: SHA-256 over `key` and the contents and absences of `state`; times do not matter.
std::string second_digest(std::string_view key, const DependencyState& state);

/// One line an item.
std::string to_text(const DependencyState& state);

/// Errors: invalid_argument for anything that `to_text` does not write.
Result<DependencyState> dependency_state_from_text(std::string_view text);

}  // namespace kmux
