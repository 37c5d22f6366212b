#pragma once

#include <string>

namespace kmux::bench {

/// The time that one worker takes for 64 programs that nothing knows yet, over the time that two take.
double par_cpu64();
double par_nvrtc64();

/// One side of them, in a process of its own: prints the milliseconds that `workers` take for `load` ("cpu", "nvrtc").
int par_child(const std::string& load, int workers);

/// Why NVRTC's cannot be measured here; empty if it can.
std::string missing_nvrtc();

/// How many compilations 64 requests of 8 programs cost.
double dedupe();

}  // namespace kmux::bench
