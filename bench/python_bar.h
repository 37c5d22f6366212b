#pragma once

#include <string>

namespace kmux::bench {

/// The bar `name` of the script KMUX_BENCH_PYTHON_BARS, run over the libraries of this build.
///
/// Throws what goes wrong.
double measured_in_python(const std::string& name);

/// Why it cannot be measured here; empty if it can.
std::string missing_in_python(const std::string& name);

}  // namespace kmux::bench
