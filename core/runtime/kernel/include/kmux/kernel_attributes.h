#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/kernel.h"

namespace kmux {

/// What the compiled code of one kernel of a program takes, as its compiler wrote it down.
struct KernelAttributes {
  std::string kernel;  // as the program names it
  int registers = 0;  // a thread
  std::int64_t local_bytes = 0;  // a thread, in memory: spilled registers, and arrays with computed indices
  std::int64_t shared_bytes = 0;  // a block, besides what a launch asks for
  std::int64_t constant_bytes = 0;  // constants of the whole code
  int max_threads = 0;  // a block

  /// "k: 34 registers, 240 bytes of local memory a thread, ...".
  KMUX_API std::string to_string() const;
};

/// The attributes of the kernels in an artifact of `backend`, in the program's order. No device is needed.
///
/// Errors: unsupported where the backend does not say them, or the code is one that the driver still compiles;
///         invalid_argument if the artifact is damaged.
KMUX_API Result<std::vector<KernelAttributes>> attributes_of(const Artifact& artifact, std::string_view backend);

/// The attributes of what `kernel` launches now.
///
/// Errors: as `attributes_of`.
KMUX_API Result<std::vector<KernelAttributes>> attributes(const Kernel& kernel);

}  // namespace kmux
