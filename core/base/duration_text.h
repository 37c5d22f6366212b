// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kmux {

/// Returns `value` with three significant digits and no exponent: "8.61", "14.7", "1024".
std::string three_digits(double value);

/// Returns a duration in the largest unit that it has one of: "812 ns", "8.61 ms", "1.20 s".
std::string duration_text(double nanoseconds);

}  // namespace kmux
