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

/// What one program is pinned to for one target.
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
/// Errors: unavailable if it is not there, or is a file, or in a folder, that others may write to; invalid_argument for
///         another version, an unknown key, or anything else that `write_lock_file` does not write.
Result<std::vector<Pin>> read_lock_file(const std::filesystem::path& path);

/// Writes `pins`, sorted, as JSON.
///
/// Errors: unavailable with the system's reason.
Status write_lock_file(const std::filesystem::path& path, std::vector<Pin> pins);

/// Pins that are found by their program, however many there are.
class PinTable {
 public:
  explicit PinTable(std::vector<Pin> pins);

  /// Those of the program with that digest, by target.
  std::span<const Pin> of(std::string_view program) const;

 private:
  std::vector<Pin> pins_;  // sorted by program and target
};

/// The lock files that a runtime has read, each kept until the file changes.
///
/// Threads: any; who asks while a file is read waits for it.
class LockFiles {
 public:
  /// What is in `path` now.
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
      entries_;  // by absolute path, as text: to compare paths takes longer than to look a pin up
};

/// The candidate that `pins`, those of a program in `file`, name, as an index: of several, for several targets, the first.
///
/// Errors: invalid_argument if the program is not pinned for the targets of this machine; unavailable if the plugin has
///         changed since, or cannot be used here. All say how to pin it again.
Result<std::size_t> pinned_candidate(std::span<const Pin> pins, const std::filesystem::path& file,
                                     const std::string& name, const std::string& digest,
                                     const std::vector<Candidate>& candidates,
                                     const std::vector<const Manifest*>& manifests);

}  // namespace kmux
