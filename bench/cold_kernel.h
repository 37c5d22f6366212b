#pragma once

#include <filesystem>
#include <string>

#include "kmux/dispatch.h"
#include "kmux/plugin/dynamic_library.h"
#include "kmux/runtime.h"

namespace kmux::bench {

/// Returns a program of four lines of C. Each `number` gives a different program, which no cache holds.
Program small_program(int number);

/// Returns bench/kernels/packed_gemm.cpp, about 170 lines of C++ with two standard headers.
Program gemm_program(int number);

/// A program's source and kmux's launcher for it as files. A compiler driver compiles them into a shared object, which
/// is opened: the build without kmux, the reference of the measurements.
class ReferenceBuild {
 public:
  /// `compiler` is a command with its options (example: "g++", "-O3"); the constructor writes the files to `folder`,
  /// not `run`.
  ReferenceBuild(std::vector<std::string> compiler, std::filesystem::path folder, const Program& program,
                 const std::string& launcher);
  /// Compiles, opens and looks up the launcher. Throws if any step fails.
  DynamicLibrary run() const;

 private:
  std::vector<std::string> command_;
  std::filesystem::path library_;
};

}  // namespace kmux::bench
