#pragma once

#include <filesystem>
#include <string>

#include "kmux/error.h"

namespace kmux {

/// The folder that a program's files are relative to; nothing outside of it is read or written.
class ProgramFolder {
 public:
  /// Errors: unavailable if the folder does not exist.
  static Result<ProgramFolder> open(const std::filesystem::path& folder);

  /// The real path of `file`, all symbolic links followed; the file need not exist.
  ///
  /// Errors: invalid_argument if `file` is absolute or leads out of the folder.
  Result<std::filesystem::path> locate(const std::string& file) const;

 private:
  explicit ProgramFolder(std::filesystem::path root) : root_(std::move(root)) {}
  std::filesystem::path root_;
};

}  // namespace kmux
