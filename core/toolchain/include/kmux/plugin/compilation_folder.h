// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/plugin/private_folder.h"

namespace kmux {

/// The isolated folders of one compilation: a program's file can replace neither a file of kmux nor a library that a
/// compiler loads from its working directory (docs/design/0065-compilation-folders.md).
///
/// Threads: as std::string.   Lifetime: owns the folders; the destructor removes them.
class CompilationFolder {
 public:
  /// Creates the folders. The name of their root begins with `name`.
  ///
  /// Errors: unavailable that names the place.
  static Result<CompilationFolder> create(const std::string& name);

  /// Returns the root of all folders. This and the paths below are absolute.
  const std::string& root() const { return root_.path(); }
  /// Returns the folder of the program's files, at their paths in the program.
  std::string program() const { return root() + "/program"; }
  /// Returns the folder of kmux's own files. Its name is random, so that no text of a program can contain it.
  const std::string& own() const { return own_; }
  /// Returns the folder for temporary files of child processes: their TMPDIR and HOME.
  std::string scratch() const { return root() + "/scratch"; }
  /// Returns the working directory of child processes. It must stay empty.
  std::string empty() const { return root() + "/empty"; }
  /// Returns the folder of the translation unit of a program that is compiled in pieces. No compiler searches it for
  /// other files.
  std::string unit() const { return root() + "/unit"; }

  /// Writes the files of a program. `is_file_path` must have accepted their paths.
  ///
  /// Errors: as `write_file`.
  Status write_program(std::span<const File> files) const;
  /// Writes a file of kmux and returns its absolute path.
  ///
  /// Errors: as `write_file`.
  Result<std::string> write_own(const std::string& name, std::string_view content) const;
  /// Writes a file into the unit folder.
  ///
  /// Errors: as `write_file`.
  Status write_unit(const std::string& name, std::string_view content) const;

  /// Returns a compiler's output without these folders, so that files have their names in the program.
  std::string without_folders(std::string log) const;

 private:
  CompilationFolder(PrivateFolder root, std::string own) : root_(std::move(root)), own_(std::move(own)) {}
  PrivateFolder root_;
  std::string own_;
};

/// The program folder for `-I`, relative to the working directory of children, so that code does not depend on a random
/// name.
inline constexpr std::string_view kProgramFolder = "../program";
/// Same for the unit folder.
inline constexpr std::string_view kUnitFolder = "../unit";

}  // namespace kmux
