#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kmux/error.h"

namespace kmux {

/// A folder for temporary files that only this user can enter. The destructor removes it with its contents.
///
/// Threads: as std::string.
class PrivateFolder {
 public:
  /// Creates a folder, `name` with a random suffix, in the system's folder for temporary files (TMPDIR).
  ///
  /// Errors: unavailable that names the location, also if another user could replace the folder (safe_path.h).
  static Result<PrivateFolder> create(const std::string& name);
  ~PrivateFolder();
  /// Takes ownership from `other`.
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  /// Gives up ownership without removing the folder: after a fork, the parent owns it.
  void release() { path_.clear(); }

  /// Returns its absolute path.
  const std::string& path() const { return path_; }
  /// Writes a file, creating the folders in its name.
  ///
  /// Errors: as `write_file`.
  Status write(const std::string& name, std::string_view content) const;

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace kmux
