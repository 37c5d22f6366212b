#pragma once

#include <string>

namespace kmux::bench {

/// What `Kernel::call` costs more than with outputs that have no order: allocated on the default stream by one call of the
/// driver, as `call` did before memory belonged to a stream. On the default stream, where the driver does the same for both;
/// outputs are dropped outside the time. On device 0, backend nvrtc.
///
/// Units: nanoseconds of the host.
double call_allocating_added_ns();

/// As above, with the outputs dropped within the time.
double call_and_drop_added_ns();

/// As `call_allocating_added_ns`, of calls on a non-blocking stream: memory of that stream against memory of the default one.
double call_on_stream_added_ns();

/// One side of that in this process: "ordered" or "unordered", with "_and_drop" behind it where outputs are dropped within
/// the time.
double call_side_ns(const std::string& name);

/// What a launch costs more whose three tensors are in the order of another stream: an event behind it for each.
double launch_elsewhere_added_ns();

}  // namespace kmux::bench
