#pragma once

#include <string>

namespace kmux::bench {

/// What `Kernel::call` on a stream of its own costs more than with outputs from a pool of the application's that has no
/// order: allocated on the default stream by one call of the driver, as `call` did before memory belonged to a stream.
/// Outputs are dropped outside the time. On device 0, backend nvrtc.
///
/// Units: nanoseconds of the host.
double call_allocating_added_ns();

/// As above, with the outputs dropped within the time.
double call_and_drop_added_ns();

/// One side of these in this process: "ordered" or "unordered", with "_and_drop" behind it where outputs are dropped within
/// the time.
double call_side_ns(const std::string& name);

/// What a launch costs more whose three tensors are in the order of another stream: an event behind it for each.
double launch_elsewhere_added_ns();

}  // namespace kmux::bench
