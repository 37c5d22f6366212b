#pragma once

#include <string>

namespace kmux::bench {

/// Bar cutedsl_call_over_raw: a call of c = a + b over 1024 floats, on device 0, less a raw call of the driver with the same
/// code. Where there is no CuTe DSL the kernel comes from the cache.
///
/// Units: nanoseconds of the host.   Throws what goes wrong.
double cutedsl_call_over_raw();

/// Bar cutedsl_call_ratio: the same two, the one divided by the other.
double cutedsl_call_ratio();

/// Compiles its kernel for the cache, as a machine without CuTe DSL will look for it.
void prepare_cutedsl_call();

/// Why it cannot be measured here; empty if it can.
std::string missing_device();

}  // namespace kmux::bench
