#pragma once

namespace kmux::bench {

/// What a call costs more for tracing that is compiled in and off: of a kernel in a process that has recorded a trace before,
/// over one that was loaded when nothing had been recorded yet.
///
/// Units: nanoseconds.
double trace_off_ns();

}  // namespace kmux::bench
