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

/// The resources of a device's multiprocessor for the blocks that run on it at once, as reported by a backend.
struct Multiprocessor {
  int threads = 0;  // at most
  int blocks = 0;  // at most
  int warp_threads = 0;  // per warp; a block takes whole warps
  int partitions = 0;  // among which its warps and registers are divided
  int registers = 0;  // of all its partitions
  int register_unit = 0;  // the registers of a warp are a multiple of this
  std::int64_t shared_bytes = 0;  // for all its blocks
  std::int64_t shared_unit_bytes = 0;  // the memory of a block is a multiple of this
  std::int64_t reserved_shared_bytes = 0;  // taken by each block besides its own
};

/// The part of a multiprocessor that the blocks of a launch can use.
struct Occupancy {
  int blocks = 0;  // at once; 0: not even one fits
  double part = 0;  // of its threads, 0 to 1
  std::string limit;  // the resource that allows no more blocks: "threads", "blocks", "registers" or "shared memory"

  /// Returns "8 blocks at once, 100 % of the threads (limited by registers)".
  KMUX_API std::string to_string() const;
};

/// The resources that the compiled code of one kernel takes, as reported by its compiler.
struct KernelAttributes {
  std::string kernel;  // as the program names it
  int registers = 0;  // per thread
  std::int64_t local_bytes = 0;  // per thread, in memory: spilled registers, and arrays with computed indices
  std::int64_t shared_bytes = 0;  // per block, besides the dynamic memory of a launch
  std::int64_t constant_bytes = 0;  // constants of the whole code
  int max_threads = 0;  // per block
  std::optional<Multiprocessor> multiprocessor = {};  // of the architecture that it is compiled for; nothing if unknown

  /// Returns how many blocks of `threads` threads and `dynamic_shared_bytes` of shared memory, besides the static one,
  /// run at once.
  ///
  /// Errors: unsupported if the backend does not report the resources of a multiprocessor; invalid_argument for fewer
  ///         than 1 or more than `max_threads` threads, and negative bytes.
  KMUX_API Result<Occupancy> occupancy(std::int64_t threads, std::int64_t dynamic_shared_bytes = 0) const;

  /// Returns "k: 34 registers, 240 bytes of local memory a thread, ...".
  KMUX_API std::string to_string() const;
};

/// Returns the attributes of the kernels in an artifact of `backend`, in the program's order. Needs no device.
///
/// Errors: unsupported if the backend does not report them, or the driver has yet to compile the code; invalid_argument
///         if the artifact is damaged.
KMUX_API Result<std::vector<KernelAttributes>> attributes_of(const Artifact& artifact, std::string_view backend);

/// Returns the attributes of the code that `kernel` launches now.
///
/// Errors: as `attributes_of`.
KMUX_API Result<std::vector<KernelAttributes>> attributes(const Kernel& kernel);

}  // namespace kmux
