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

/// What the files and the absent candidates of a build were like, on the machine of that mark.
struct DependencyState {
  struct File {
    std::string path;
    FileIdentity identity;
    std::string sha256;  // empty in memory, where it was not looked at
    bool operator==(const File&) const = default;
  };
  /// Candidates in one folder. While the folder is the same, nothing was added to it.
  struct Folder {
    std::string path;
    FileIdentity identity;    // of no file if there was no such folder
    bool is_settled = false;  // else its identity proves nothing
    std::vector<std::string> absent;  // whole paths; nothing had that name
    std::vector<std::string> passed;  // a folder had that name, which a compiler that looks for a file passes over
    bool operator==(const Folder&) const = default;
  };
  std::string machine;  // `boot_mark()`; of another one only contents count
  std::vector<File> files;
  std::vector<Folder> folders;

  bool empty() const { return files.empty() && folders.empty(); }
  bool operator==(const DependencyState&) const = default;
};

/// What `capture` looks at.
enum class FileContents {
  kHashed,
  kLeft,  // of a file only the identity: a later one counts as a change even if it has the same content
};

/// The state of the dependencies of a build that began at `began` (`file_time_now()` before it), so that the build saw
/// them like that. Of a file system whose clock is behind, only what the dependencies were seen like before shows that.
///
/// Errors: unavailable if the dependencies are incomplete; naming the path, if a file changed since `began` or cannot be
///         read, or an absent one is there now: what the build saw is then not known.
Result<DependencyState> capture(const Dependencies& dependencies, FileTime began,
                                FileContents contents = FileContents::kHashed);

/// Hashes the files of `state` that have not changed since; the others stay without a digest.
void hash_contents(DependencyState& state);

/// Lists what `state` is of.
Dependencies dependencies_in(const DependencyState& state);

/// Why an entry that depends on `state` is out of date, or nothing if it is not. Files are hashed only if their identity is
/// another and their size is not, or if the state is of another machine; candidates are looked for only if their folder is
/// another. Allocates nothing where nothing changed.
std::optional<std::string> find_change(const DependencyState& state);

/// As `state` is seen from another machine: everything in it is looked at.
DependencyState of_another_machine(DependencyState state);

/// The second level of the key: SHA-256 over `key` and the contents and absences of `state`; identities do not matter.
std::string second_digest(std::string_view key, const DependencyState& state);

/// One line an item. Every file has a digest.
std::string to_text(const DependencyState& state);

/// Errors: invalid_argument for anything that `to_text` does not write.
Result<DependencyState> dependency_state_from_text(std::string_view text);

/// What this machine is known by from its start to its end: device and inode numbers that were noted under another mark
/// mean nothing here. Of this process alone where the system has none.
///
/// Threads: any.
/// Source:  random(4), /proc/sys/kernel/random/boot_id.
const std::string& boot_mark();

/// The digests of files that this process has read: many builds depend on the same headers. One counts as long as the
/// file's identity is the same.
///
/// Threads: any.
class FileDigests {
 public:
  static constexpr std::size_t kMost = 4096;  // then it begins anew

  static FileDigests& of_process();

  /// The SHA-256 of the file `path`, whose identity is `now`: read only if that is not known. Nothing if it cannot be read.
  std::optional<std::string> digest(const std::string& path, const FileIdentity& now);

  std::optional<std::string> find(const std::string& path, const FileIdentity& now) const;
  /// `read` is the identity that the file had when it was read, settled.
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
