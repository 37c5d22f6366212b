#pragma once

namespace kmux::bench {

/// Building through plugin nvrtc, nothing cached, over bare NVRTC with the same text and options. Need no device; throw
/// if something fails.
double nvrtc_compile_ratio_small();
double nvrtc_compile_ratio_gemm();

/// The time of a process from its start to its first result, its kernel compiled already, over that of a program that
/// loads the same code and launches it.
double process_start_ratio();
/// What process_start_ratio starts: 0 if the result is right.
int first_call();

}  // namespace kmux::bench
