#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kmux/error.h"

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

}  // namespace kmux
