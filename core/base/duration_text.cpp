// SPDX-License-Identifier: Apache-2.0
#include "duration_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace kmux {

std::string three_digits(double value) {
  const double size = std::abs(value);
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*f", size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2, value);
  return text.data();
}

std::string duration_text(double nanoseconds) {
  constexpr std::array kUnits = {"ns", "us", "ms", "s"};
  constexpr double kRoundsToThousand = 999.5;
  std::size_t unit = 0;
  for (; std::abs(nanoseconds) >= kRoundsToThousand && unit + 1 < kUnits.size(); ++unit) nanoseconds /= 1000;
  return three_digits(nanoseconds) + " " + kUnits[unit];
}

}  // namespace kmux
