#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/manifest.h"
#include "kmux/plugin/file_identity.h"
#include "kmux/resolver.h"

namespace kmux {

/// The plugin and variant that one program is pinned to for one target.
struct Pin {
  std::string program;  // its digest
  std::string name;     // for people
  std::string target;   // canonical
  std::string backend;
  std::string build_id;  // of the plugin
  std::size_t variant = 0;
  bool operator==(const Pin&) const = default;
};

/// Reads a lock file.
///
/// Errors: unavailable if the file is missing, or if other users may write to it or its folder; invalid_argument for
///         another version, an unknown key, or anything else that `write_lock_file` does not write.
Result<std::vector<Pin>> read_lock_file(const std::filesystem::path& path);

/// Writes `pins`, sorted, as JSON.
///
/// Errors: unavailable with the system's reason.
Status write_lock_file(const std::filesystem::path& path, std::vector<Pin> pins);

/// Pins, sorted for fast lookup by program.
class PinTable {
 public:
  explicit PinTable(std::vector<Pin> pins);

  /// Returns the pins of the program with that digest, sorted by target; valid while the table lives.
  std::span<const Pin> of(std::string_view program) const;

 private:
  std::vector<Pin> pins_;  // sorted by program and target
};

/// The lock files that a runtime has read, each kept until the file changes.
///
/// Threads: any; concurrent callers wait while a file is read.
class LockFiles {
 public:
  /// Returns the present pins of `path`.
  ///
  /// Errors: those of `read_lock_file`.
  Result<std::shared_ptr<const PinTable>> at(const std::filesystem::path& path);

 private:
  struct Entry {
    FileIdentity file;
    std::filesystem::path folder;
    std::shared_ptr<const PinTable> pins;
  };
  std::mutex mutex_;
  std::map<std::string, Entry>
      entries_;  // by absolute path, as text: comparing paths takes longer than looking up a pin
};

/// Returns the index of the candidate that `pins`, those of a program in `file`, name. If several are pinned for
/// several targets, returns the first candidate.
///
/// Errors: invalid_argument if the program is not pinned for the targets of this machine; unavailable if the plugin has
///         changed since, or cannot be used here. All messages show how to pin it again.
Result<std::size_t> pinned_candidate(std::span<const Pin> pins, const std::filesystem::path& file,
                                     const std::string& name, const std::string& digest,
                                     const std::vector<Candidate>& candidates,
                                     const std::vector<const Manifest*>& manifests);

}  // namespace kmux
