#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kmux/export_library.h"

namespace kmux::test {

/// A program over the signature of unit/call_table.h whose kernel writes n into "a"; n = 13 in "u" makes it fail, and m = 5
/// fails an assert of the body.
Program everything();

/// y = alpha * x + y.
Program axpy();

/// out[i] = the remainder of the address of a workspace by its alignment: 16, 256, 4096 and 65536 bytes.
Program aligned();

/// Sets n + extra bytes of "y", which has n, to 7, after a kernel that sets the first one to 1.
Program filled();

/// Its kernel, in C++, throws.
Program thrower();

/// Of dialect cuda, in blocks of `threads`, which is 64 or refused: block b adds the sum of its 64 products of alpha and x to y[b].
Program block_sums();

/// A folder of its own, removed at the end.
class ExportFolder {
 public:
  ExportFolder();
  ~ExportFolder();
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// The names in it, so that a test sees what was left behind.
  std::vector<std::string> files() const;
  void write(const std::string& name, const std::string& content) const;
  std::string read(const std::string& name) const;

  /// Exports with backend cpu to NAME.so and NAME.h.
  ExportedLibrary exported(const Program& program, const Options& options = {}) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace kmux::test
