#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kmux/tune.h"

namespace kmux {

/// The median of `samples` with the interval that has it with a probability of at least 99 %, whatever the distribution:
/// two order statistics, whose ranks follow from the binomial distribution. With fewer than eight samples no interval
/// is that sure; it is then all of them.
///
/// Precondition: there is a sample.
/// Source: Hahn and Meeker, Statistical Intervals, 5.2.
Interval median_interval(std::vector<double> samples);

/// Is `challenger` faster than `incumbent`, sample by sample of the same rounds? The interval of the median of their
/// differences must lie above 1 % of the incumbent's median: less is not worth another backend. Never with fewer than
/// eight rounds.
bool beats(std::span<const double> challenger, std::span<const double> incumbent);

/// The winner among candidates in the order of their priority: each later one must beat the best so far. A candidate
/// without samples takes no part.
///
/// Precondition: one candidate has samples.
std::size_t winner_of(const std::vector<std::vector<double>>& samples);

}  // namespace kmux
