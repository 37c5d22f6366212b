#pragma once

#include <string>

namespace kmux::bench {

/// Another build of this tree, with `bench/call_allocating`, to compare with; empty: none.
std::string& reference_build();

/// What `Kernel::call` costs more than in the reference build, on the default stream: both in turns in one process, in the median of nine.
///
/// Units: nanoseconds of the host.
double call_allocating_added_ns();

/// What `Kernel::call` costs over a launch with an output that one bare call of the driver allocates; with the outputs dropped
/// within the time, or after it. On the default stream of device 0, backend nvrtc.
double call_over_raw_ns();
double call_and_drop_over_raw_ns();

/// What a launch costs more whose three tensors are in the order of another stream: an event behind it for each.
double launch_elsewhere_added_ns();

}  // namespace kmux::bench
