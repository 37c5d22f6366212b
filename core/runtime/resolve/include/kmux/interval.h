#pragma once

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

}  // namespace kmux
