#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kmux/export.h"

namespace kmux {

/// A median and its confidence interval, at 99 % unless stated otherwise.
struct Interval {
  double median = 0;  // the estimate
  double low = 0;  // of the interval
  double high = 0;  // of the interval
  bool operator==(const Interval&) const = default;
};

/// Returns the median of `samples` with its interval at a confidence of at least `confidence`, for any distribution:
/// two order statistics, whose ranks follow from the binomial distribution. With few samples (fewer than eight at 99 %)
/// no interval reaches that confidence: it then spans all samples, and `is_sure` returns false.
///
/// Precondition: `samples` is not empty; 0 < confidence < 1.
/// Source: Hahn and Meeker, Statistical Intervals, 5.2.
KMUX_API Interval median_interval(std::vector<double> samples, double confidence = 0.99);

/// Returns true if `count` samples suffice for an interval of that confidence.
KMUX_API bool is_sure(std::size_t count, double confidence = 0.99);

/// Returns the time of a contender over that of a baseline, paired by round so that a disturbance slows both: the
/// median of the logarithms of the ratios with its interval, as ratios. Uses only as many rounds as the shorter series
/// has.
///
/// Precondition: neither series is empty; all samples are positive.
KMUX_API Interval median_ratio(std::span<const double> contender, std::span<const double> baseline,
                               double confidence = 0.99);

/// Returns the confidence that an interval must have at look number `look`, counted from 1, if measuring may end at any
/// look: the looks share `error` as 1/(1*2) + 1/(2*3) + ... = 1.
KMUX_API double confidence_of_look(std::size_t look, double error);

}  // namespace kmux
