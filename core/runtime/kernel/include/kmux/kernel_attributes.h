#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/kernel.h"

namespace kmux {

/// What a multiprocessor of a device has for the blocks that run on it at once, as a backend wrote it down.
struct Multiprocessor {
  int threads = 0;  // at most
  int blocks = 0;  // at most
  int warp_threads = 0;  // that a block has whole numbers of
  int partitions = 0;  // among which its warps and registers are divided
  int registers = 0;  // of all its partitions
  int register_unit = 0;  // of which a warp takes whole numbers
  std::int64_t shared_bytes = 0;  // for all its blocks
  std::int64_t shared_unit_bytes = 0;  // of which a block takes whole numbers
  std::int64_t reserved_shared_bytes = 0;  // that a block takes besides its own
};

/// How much of a multiprocessor the blocks of a launch can use.
struct Occupancy {
  int blocks = 0;  // at once; 0: not even one
  double part = 0;  // of its threads, 0 to 1
  std::string limit;  // why there are not more blocks: "threads", "blocks", "registers" or "shared memory"

  /// "8 blocks at once, 100 % of the threads (limited by registers)".
  KMUX_API std::string to_string() const;
};

/// What the compiled code of one kernel of a program takes, as its compiler wrote it down.
struct KernelAttributes {
  std::string kernel;  // as the program names it
  int registers = 0;  // a thread
  std::int64_t local_bytes = 0;  // a thread, in memory: spilled registers, and arrays with computed indices
  std::int64_t shared_bytes = 0;  // a block, besides what a launch asks for
  std::int64_t constant_bytes = 0;  // constants of the whole code
  int max_threads = 0;  // a block
  std::optional<Multiprocessor> multiprocessor =
      {};  // of the architecture that it is compiled for; nothing if that is not known

  /// How many blocks of `threads` threads and `dynamic_shared_bytes` of shared memory, besides the static one, run at once.
  ///
  /// Errors: unsupported where the backend does not say what a multiprocessor has; invalid_argument for fewer than 1 or more
  ///         than `max_threads` threads, and negative bytes.
  KMUX_API Result<Occupancy> occupancy(std::int64_t threads, std::int64_t dynamic_shared_bytes = 0) const;

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
