#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "bar_program.h"

namespace kmux::bench {

/// The bar `name` of the script KMUX_BENCH_PYTHON_BARS, run over the libraries of this build.
///
/// Throws what goes wrong.
double measured_in_python(const std::string& name);

/// Why it cannot be measured here; empty if it can.
std::string missing_in_python(const std::string& name);

/// The name of a bar, as an argument of a template.
template <std::size_t kSize>
struct BarName {
  constexpr BarName(const char (&name)[kSize]) {
    std::copy_n(name, kSize, text);
  }  // NOLINT(google-explicit-constructor)
  char text[kSize]{};
};

/// The bar of that name, measured by the script.
template <BarName kName>
Bar python_bar(const char* unit) {
  return {kName.text, [] { return measured_in_python(kName.text); }, unit,
          [] { return missing_in_python(kName.text); }};
}

}  // namespace kmux::bench
