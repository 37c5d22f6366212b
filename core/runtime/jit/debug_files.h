#pragma once

#include <filesystem>
#include <string>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/kernel.h"

namespace kmux {

/// What a wrapper writes for people: a folder a program, NAME-DIGEST, with
///
///     program/NAME.kmux.json   the IR, and the sources it names
///     config.json              the call that asked for it last
///     function.txt             the source of the wrapper's function, where it was given
///     launcher-BACKEND.txt     once it is compiled
///
/// Threads: any; each file is replaced as a whole.
class DebugFiles {
 public:
  /// An empty `root` means that nothing is written. A relative one is taken from the current directory, now.
  DebugFiles(const std::string& root, std::string function)
      : root_(root.empty() ? std::filesystem::path() : std::filesystem::absolute(root)),
        function_(std::move(function)) {}

  /// Before the compilation, so that it is there if that fails.
  ///
  /// Errors: unavailable that names the file.
  Status write_program(const Program& program, const std::string& config) const;
  Status write_launcher(const Program& program, const Kernel& kernel) const;

 private:
  std::filesystem::path folder_of(const Program& program) const;
  std::filesystem::path root_;
  std::string function_;
};

}  // namespace kmux
