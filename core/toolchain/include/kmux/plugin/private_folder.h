#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kmux/error.h"

namespace kmux {

/// A folder for temporary files that only this user can enter, removed with all it holds when the object goes.
///
/// Threads: as std::string.
class PrivateFolder {
 public:
  /// A new folder, `name` and a random ending, where temporary files go (TMPDIR).
  ///
  /// Errors: unavailable that names the place, also where another user could put another folder in its place (safe_path.h).
  static Result<PrivateFolder> create(const std::string& name);
  ~PrivateFolder();
  /// Leaves `other` without a folder.
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  /// Leaves the folder where it is: in a fork, it is the parent's.
  void release() { path_.clear(); }

  /// Absolute.
  const std::string& path() const { return path_; }
  /// Writes a file; the folders of its name are made.
  ///
  /// Errors: as `write_file`.
  Status write(const std::string& name, std::string_view content) const;

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace kmux
