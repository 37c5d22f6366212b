#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/dependencies.h"
#include "kmux/plugin/file_identity.h"

namespace kmux {

/// The state of the files and absent candidates of a build, on the machine with that mark.
struct DependencyState {
  struct File {
    std::string path;
    FileIdentity identity;
    std::string sha256;  // empty in memory if not hashed
    bool operator==(const File&) const = default;
  };
  /// Candidates in one folder. While the folder's identity is unchanged, no file was added to it.
  struct Folder {
    std::string path;
    FileIdentity identity;    // of no file if the folder is missing
    bool is_settled = false;  // false: its identity proves nothing
    std::vector<std::string> absent;  // full paths of names that did not exist
    std::vector<std::string> passed;  // names of folders, which a compiler that searches for a file skips
    bool operator==(const Folder&) const = default;
  };
  std::string machine;  // `boot_mark()`; on another machine only contents count
  std::vector<File> files;
  std::vector<Folder> folders;

  bool empty() const { return files.empty() && folders.empty(); }
  bool operator==(const DependencyState&) const = default;
};

/// The data that `capture` records of a file.
enum class FileContents {
  kHashed,
  kLeft,  // only the identity: a later identity is a change even with the same content
};

/// Returns the state of the dependencies of a build that began at `began` (`file_time_now()` before it), as the build
/// saw them. If the clock of a file system is behind, only the observed state in `dependencies` shows a change.
///
/// Errors: unavailable if the dependencies are incomplete, or, with the path, if a file changed since `began` or cannot
///         be read, or an absent file exists now: then the input of the build is unknown.
Result<DependencyState> capture(const Dependencies& dependencies, FileTime began,
                                FileContents contents = FileContents::kHashed);

/// Hashes the files of `state` that have not changed since. The others keep no digest.
void hash_contents(DependencyState& state);

/// Returns the paths in `state`.
Dependencies dependencies_in(const DependencyState& state);

/// Returns why an entry that depends on `state` is out of date, or nothing if it is current. Files are hashed only if
/// their identity has changed and their size has not, or if the state is of another machine. Candidates are searched
/// only if their folder has changed. Does not allocate if nothing has changed.
std::optional<std::string> find_change(const DependencyState& state);

/// Returns `state` as of another machine, so that every file in it is checked.
DependencyState of_another_machine(DependencyState state);

/// Returns the second level of the key: SHA-256 over `key` and the contents and absences of `state`, without
/// identities.
std::string second_digest(std::string_view key, const DependencyState& state);

/// Returns one line per item. Every file must have a digest.
std::string to_text(const DependencyState& state);

/// Parses the output of `to_text`.
///
/// Errors: invalid_argument for any other text.
Result<DependencyState> dependency_state_from_text(std::string_view text);

/// Returns the identity of this machine from boot to shutdown. Device and inode numbers recorded under another mark are
/// invalid here. Unique to this process if the system has none.
///
/// Threads: any.
/// Source:  random(4), /proc/sys/kernel/random/boot_id.
const std::string& boot_mark();

/// The digests of files that this process has read, since many builds depend on the same headers. Valid while the
/// file's identity is unchanged.
///
/// Threads: any.
class FileDigests {
 public:
  static constexpr std::size_t kMost = 4096;  // then the table is cleared

  static FileDigests& of_process();

  /// Returns the SHA-256 of the file `path` with identity `now`. Reads it only if the digest is unknown. Returns
  /// nothing if it cannot be read.
  std::optional<std::string> digest(const std::string& path, const FileIdentity& now);

  std::optional<std::string> find(const std::string& path, const FileIdentity& now) const;
  /// Stores a digest. `read` must be the settled identity of the file when it was read.
  void keep(const std::string& path, const FileIdentity& read, const std::string& sha256);

 private:
  struct Digest {
    FileIdentity read;
    std::string sha256;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Digest> digests_;
};

}  // namespace kmux
