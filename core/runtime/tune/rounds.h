#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// Times one call of a candidate. Units: microseconds.
using TimeOnce = std::function<Result<double>()>;

struct RoundLimits {
  std::size_t most = 30;
  std::size_t least = 8;  // with fewer nothing can be decided
  std::chrono::nanoseconds time = std::chrono::milliseconds(500);  // after which no round begins, once there are enough
};

/// Times every candidate once a round, so that whatever else the machine does meets all of them alike; every second
/// round goes backwards, so that none always follows the same one. One call of each goes before and does not count.
///
/// `now` is the clock of the limit alone.
/// Returns: the samples of each candidate, as many of each.
/// Errors:  the first of a candidate.
Result<std::vector<std::vector<double>>> time_in_rounds(const std::vector<TimeOnce>& candidates,
                                                        const RoundLimits& limits,
                                                        const std::function<std::chrono::nanoseconds()>& now);

}  // namespace kmux
