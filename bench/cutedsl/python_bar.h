#pragma once

#include <string>

namespace kmux::bench {

/// The bars of python_bars.py, run over the libraries of this build: what Python adds to a call.
///
/// Units: ratios; python_over_noop_plus_raw in microseconds.   Throws what goes wrong.
double python_cpu_call();
double python_over_noop_plus_raw();
double python_vs_tilelang();

/// Why they cannot be measured here; empty if they can.
std::string missing_python_cpu_call();
std::string missing_python_over_noop_plus_raw();
std::string missing_python_vs_tilelang();

}  // namespace kmux::bench
