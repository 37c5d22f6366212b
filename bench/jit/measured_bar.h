#pragma once

namespace kmux::bench {

/// What a call of a kernel that was tuned under policy measured costs more than one of the same code under priority.
///
/// Units: nanoseconds.
double measured_overhead();

}  // namespace kmux::bench
