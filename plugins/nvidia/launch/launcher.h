#pragma once

#include "kmux/driver.h"

namespace kmux::nvidia {

/// What a launcher must know of a kernel before its first launch.
struct KernelFacts {
  const char* name;                       // the symbol in the code
  unsigned long long dynamic_smem_bytes;  // the most that a launch asks for by a constant
  bool large_cluster;                     // a cluster has more than 8 blocks, or may have
};

/// What a launcher must know of its plan. Borrowed; outlives the launcher.
struct PlanFacts {
  const KernelFacts* kernels;
  unsigned kernel_count;
  unsigned map_count;
  unsigned step_count;
  unsigned long long window_bytes;  // the largest constant L2 window; 1 if one is not constant; 0 without any
  bool replay;                      // option `graph` is on and the body may be replayed as a graph
};

/// Where reports of what a launch could not do as asked go; null drops them. level as in kmux_host_api.
struct Log {
  void* self;
  void (*write)(void* self, int level, const char* text, size_t size);
};

class Call;  // one call in progress: launch/call.h

/// Runs bodies: loads the code, makes contexts current, launches with every feature. Bodies reach it through the
/// `kmux_driver` in the env that `call` gives them.
///
/// Threads: `prepare` and `call` any, concurrently.   Lifetime: code and facts outlive it; `close` comes last.
class Launcher {
 public:
  /// Does nothing yet: the driver is opened and the code loaded by the first `prepare` or `call`.
  Launcher(const void* code, const PlanFacts& facts, Log log);
  /// Synchronises the contexts it launched in and unloads; during capture, or where the context is gone, it leaks and
  /// logs that.
  ~Launcher();

  /// Does what a first call on `device` would do once: library, kernels, shared-memory and cluster attributes, the limit
  /// for persisting lines, launch states. Returns 0 or an ErrorCode after writing to `error`.
  int prepare(int device, kmux_sink error);

  /// Runs `body(const kmux_driver_env&, kmux_sink) -> int` with the context of env.device current, and the one before
  /// restored. The first call on a device prepares it, but not inside a capture: then launch_failed with advice.
  template <class Body>
  int call(const kmux_launch_env& env, kmux_sink error, Body&& body);
};

}  // namespace kmux::nvidia
