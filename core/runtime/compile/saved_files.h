#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

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

/// Stores the files of a program beside its document, and never changes what another program names or a person wrote.
class SavedFiles {
 public:
  /// `document` is where the program will be; what is there now says which files are its own.
  SavedFiles(ProgramFolder folder, std::filesystem::path document);

  /// Stores `content` and returns where: at `path`, or under a name with its digest if a file that is there differs and is
  /// not this program's own: named by its document, unchanged since, and named by no other document of the folder.
  ///
  /// Errors: those of writing; invalid_argument for a path that leaves the folder.
  Result<std::string> store(const std::string& path, const std::string& content);

 private:
  bool is_own(const std::filesystem::path& file, const std::string& content);
  /// Is it named by another document of the folder?
  bool is_shared(const std::filesystem::path& file) const;

  ProgramFolder folder_;
  std::filesystem::path document_;
  std::map<std::filesystem::path, std::string> own_;  // SHA-256 by file
};

}  // namespace kmux
