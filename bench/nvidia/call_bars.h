#pragma once

namespace kmux::bench {

/// What calls cost over raw calls of the driver, on device 0. Each throws if something fails.
///
/// Units: nanoseconds of the host, or ratios of times.
double nvrtc_call_over_raw();
double cuda_call_over_raw();
double tma3_unchanged_over_raw();
double nvrtc_call_ratio();
double cuda_call_ratio();
double tma3_unchanged_ratio();
double l2_window_ratio();
double graph2_end_to_end_ratio();
double graph2_host_ratio();

/// A whole call over the driver of tests/fakes/cuda, whose own part is a few nanoseconds. `driver` is open already.
double call_ns();

}  // namespace kmux::bench
