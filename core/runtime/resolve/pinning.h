#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kmux/error.h"
#include "kmux/manifest.h"
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

/// The candidate that `pins` (of `file`) name for a program, as an index.
///
/// Errors: invalid_argument if the program is not pinned for the targets of this machine; unavailable if the plugin has
///         changed since, or cannot be used here. All say how to pin it again.
Result<std::size_t> pinned_candidate(const std::vector<Pin>& pins, const std::filesystem::path& file,
                                     const std::string& name, const std::string& digest,
                                     const std::vector<Candidate>& candidates,
                                     const std::vector<const Manifest*>& manifests);

}  // namespace kmux
