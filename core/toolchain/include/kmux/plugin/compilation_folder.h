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

/// The folders of one compilation, apart from each other: a program's file cannot stand in for a file of kmux, nor for a library
/// that a compiler looks for where it was started (docs/design/0065-compilation-folders.md).
///
/// Threads: as std::string.   Lifetime: all folders are removed with the object.
class CompilationFolder {
 public:
  /// Makes the folders; the name of the one that has them all begins with `name`.
  ///
  /// Errors: unavailable that names the place.
  static Result<CompilationFolder> create(const std::string& name);

  /// Where all of the folders are. Absolute, as the paths below.
  const std::string& root() const { return root_.path(); }
  /// Where the program's files are, by the paths that they have in the program.
  std::string program() const { return root() + "/program"; }
  /// Where kmux's own files are. Its name is random, so that no text of a program can contain it.
  const std::string& own() const { return own_; }
  /// Where children have their temporary files, TMPDIR and HOME.
  std::string scratch() const { return root() + "/scratch"; }
  /// Where children start. It stays empty.
  std::string empty() const { return root() + "/empty"; }
  /// Where the one text is that a compiler gets of a program in pieces. Nothing else is looked for there.
  std::string unit() const { return root() + "/unit"; }

  /// Writes the files of a program, whose paths `is_file_path` has accepted.
  ///
  /// Errors: as `write_file`.
  Status write_program(std::span<const File> files) const;
  /// Writes a file of kmux, and returns its absolute path.
  ///
  /// Errors: as `write_file`.
  Result<std::string> write_own(const std::string& name, std::string_view content) const;
  /// Writes a file into the folder of the unit.
  ///
  /// Errors: as `write_file`.
  Status write_unit(const std::string& name, std::string_view content) const;

  /// Returns what a compiler said in `log` without these folders: files have the names that the program gives them.
  std::string without_folders(std::string log) const;

 private:
  CompilationFolder(PrivateFolder root, std::string own) : root_(std::move(root)), own_(std::move(own)) {}
  PrivateFolder root_;
  std::string own_;
};

/// The folder of a program's files as `-I` has it: from where children start, so that code does not depend on a random name.
inline constexpr std::string_view kProgramFolder = "../program";
/// The folder of the unit, likewise.
inline constexpr std::string_view kUnitFolder = "../unit";

}  // namespace kmux
