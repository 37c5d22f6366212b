#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kmux/export_library.h"

namespace kmux::test {

/// Returns a program over the signature of unit/call_table.h. Its kernel writes n into "a"; n = 13 in "u" makes it
/// fail. m = 5 fails an assert of the body.
Program everything();

/// Returns y = alpha * x + y.
Program axpy();

/// Returns out[i] = the remainder of the address of a workspace by its alignment: 16, 256, 4096 and 65536 bytes.
Program aligned();

/// Returns a program that sets n + extra bytes of "y", of extent n, to 7, after a kernel that sets the first one to 1.
Program filled();

/// Returns a program whose C++ kernel throws.
Program thrower();

/// Returns a program of dialect cuda, in blocks of `threads`, which must be 64. Block b adds the sum of its 64 products
/// of alpha and x to y[b].
Program block_sums();

/// Owns a temporary folder and removes it at the end.
class ExportFolder {
 public:
  ExportFolder();
  ~ExportFolder();
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Returns the names of the files in the folder, so that a test sees files left behind.
  std::vector<std::string> files() const;
  void write(const std::string& name, const std::string& content) const;
  std::string read(const std::string& name) const;

  /// Exports with backend cpu to NAME.so and NAME.h.
  ExportedLibrary exported(const Program& program, const Options& options = {}) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace kmux::test
