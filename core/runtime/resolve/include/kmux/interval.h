#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kmux/export.h"

namespace kmux {

/// A median, and the interval that has it with a given probability, 99 % unless stated otherwise.
struct Interval {
  double median = 0;  // the estimate
  double low = 0;  // of the interval
  double high = 0;  // of the interval
  bool operator==(const Interval&) const = default;
};

/// The median of `samples` with the interval that has it with a probability of at least `confidence`, whatever the
/// distribution: two order statistics, whose ranks follow from the binomial distribution. With few samples (less than
/// eight at 99 %) no interval is that sure; it is then all of them, which `is_sure` returns.
///
/// Precondition: there is a sample; 0 < confidence < 1.
/// Source: Hahn and Meeker, Statistical Intervals, 5.2.
KMUX_API Interval median_interval(std::vector<double> samples, double confidence = 0.99);

/// Do `count` samples suffice for an interval of that confidence?
KMUX_API bool is_sure(std::size_t count, double confidence = 0.99);

/// The time of a contender over that of a baseline, round by round: the median of the logarithms of the ratios with its
/// interval, so that what slows a round slows both. Of unequal series the shorter counts.
///
/// Precondition: there is a round; all samples are positive.
KMUX_API Interval median_ratio(std::span<const double> contender, std::span<const double> baseline,
                               double confidence = 0.99);

/// The confidence that an interval must have at look number `look`, counted from 1, where measuring may end at any look: the
/// looks share `error` as 1/(1*2) + 1/(2*3) + ... = 1.
KMUX_API double confidence_of_look(std::size_t look, double error);

}  // namespace kmux
