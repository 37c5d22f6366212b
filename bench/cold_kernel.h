#pragma once

#include <filesystem>
#include <string>

#include "kmux/dispatch.h"
#include "kmux/plugin/dynamic_library.h"
#include "kmux/runtime.h"

namespace kmux::bench {

/// Four lines of C. Another `number` is another program: no cache knows it.
Program small_program(int number);

/// bench/kernels/packed_gemm.cpp, about 170 lines of C++ with two standard headers.
Program gemm_program(int number);

/// A program's source and kmux's launcher for it as files, compiled by a driver into a shared object and opened: what
/// one does without kmux, and what it is measured against.
class ReferenceBuild {
 public:
  /// `compiler` is a command with its options ("g++", "-O3"); the files are written to `folder` here, not by `run`.
  ReferenceBuild(std::vector<std::string> compiler, std::filesystem::path folder, const Program& program,
                 const std::string& launcher);
  /// Compiles, opens and looks up the launcher. Throws if any of it fails.
  DynamicLibrary run() const;

 private:
  std::vector<std::string> command_;
  std::filesystem::path library_;
};

}  // namespace kmux::bench
