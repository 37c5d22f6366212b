#pragma once

#include <functional>

#include "kmux/export.h"

namespace kmux {

/// Returns true if the launch of the calling thread must end early. An exception counts as true.
using LaunchInterrupt = std::function<bool()>;

/// Lets the application end long launches of kernels that run on this machine's processor. Such a launch calls
/// `is_requested` on the launching thread, between blocks, at most every 20 ms; launches of less than 20 ms never do. Once
/// it returns true, the remaining blocks do not run and the launch returns `cancelled`: its outputs are then incomplete.
/// An empty function, the default, lets every launch run to its end. Applies to the whole process, from the next call on.
///
/// Python's package sets one, so that Ctrl-C ends a running kernel.
///
/// Threads: any; `is_requested` must be thread-safe.   Lifetime: each one that was set stays until the process ends.
KMUX_API void set_launch_interrupt(LaunchInterrupt is_requested);

}  // namespace kmux
