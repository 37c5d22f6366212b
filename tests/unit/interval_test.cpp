#include "kmux/interval.h"

#include <cmath>

#include <gtest/gtest.h>

namespace kmux {
namespace {

using Samples = std::vector<double>;

Samples numbers(int from, int to) {
  Samples samples;
  for (int i = from; i <= to; ++i) samples.push_back(i);
  return samples;
}

TEST(IntervalTest, BoundsMedianByOrderStatistics) {
  // Ranks 8 and 23 of 30: twice P(Binomial(30, 1/2) <= 7) is 0.52 %, with 8 it is 1.6 %.
  EXPECT_EQ(median_interval(numbers(1, 30)), (Interval{15.5, 8, 23}));
  EXPECT_EQ(median_interval(numbers(1, 9)), (Interval{5, 1, 9}));
}

TEST(IntervalTest, SpansAllSamplesWhenTooFewForConfidence) {
  EXPECT_EQ(median_interval({3, 1, 2}), (Interval{2, 1, 3}));
  EXPECT_EQ(median_interval({7}), (Interval{7, 7, 7}));
}

TEST(IntervalTest, IsIndependentOfSampleOrder) { EXPECT_EQ(median_interval({5, 1, 9, 3, 7}), (Interval{5, 1, 9})); }

TEST(IntervalTest, WidensWithConfidence) {
  // P(Binomial(30, 1/2) <= 4) is 3e-5, <= 5 is 1.6e-4.
  EXPECT_EQ(median_interval(numbers(1, 30), 0.9999), (Interval{15.5, 5, 26}));
  EXPECT_EQ(median_interval(numbers(1, 30), 0.5).low, 13) << "P(... <= 12) is 18 %, <= 13 is 29 %";
}

TEST(IntervalTest, MatchesNormalApproximationForManySamples) {
  const Interval interval = median_interval(numbers(1, 20000));
  EXPECT_NEAR(interval.low, 10000 - 2.58 * 0.5 * std::sqrt(20000), 2) << "the normal distribution is near";
}

TEST(IntervalTest, RequiresEightSamplesAtDefaultConfidence) {
  EXPECT_FALSE(is_sure(7));
  EXPECT_TRUE(is_sure(8));
  EXPECT_FALSE(is_sure(8, 0.999));
}

}  // namespace
}  // namespace kmux
