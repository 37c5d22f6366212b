#include "auto/interval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using Samples = std::vector<double>;

Samples numbers(int from, int to) {
  Samples samples;
  for (int i = from; i <= to; ++i) samples.push_back(i);
  return samples;
}

/// `count` samples that alternate round `middle`.
Samples around(double middle, double spread, std::size_t count = 30) {
  Samples samples(count, middle - spread);
  for (std::size_t i = 0; i < count; i += 2) samples[i] = middle + spread;
  return samples;
}

TEST(Interval, HasTheMedianBetweenTwoOrderStatistics) {
  // Ranks 8 and 23 of 30: twice P(Binomial(30, 1/2) <= 7) is 0.52 %, with 8 it is 1.6 %.
  EXPECT_EQ(median_interval(numbers(1, 30)), (Interval{15.5, 8, 23}));
  EXPECT_EQ(median_interval(numbers(1, 9)), (Interval{5, 1, 9}));
}

TEST(Interval, IsAllOfThemWhereNoneIsThatSure) {
  EXPECT_EQ(median_interval({3, 1, 2}), (Interval{2, 1, 3}));
  EXPECT_EQ(median_interval({7}), (Interval{7, 7, 7}));
}

TEST(Interval, DoesNotDependOnTheOrder) { EXPECT_EQ(median_interval({5, 1, 9, 3, 7}), (Interval{5, 1, 9})); }

TEST(Interval, OneBeatsAnotherIfItIsSurelyFaster) {
  EXPECT_TRUE(beats(around(10, 1), around(20, 1)));
  EXPECT_FALSE(beats(around(20, 1), around(10, 1)));
}

TEST(Interval, NobodyBeatsAnEqual) {
  EXPECT_FALSE(beats(around(10, 1), around(10, 1)));
  EXPECT_FALSE(beats(around(9.95, 0), around(10, 0))) << "half a percent is not worth another backend";
  EXPECT_TRUE(beats(around(9.8, 0), around(10, 0)));
}

TEST(Interval, ComparesWithinEachRound) {
  Samples incumbent = numbers(100, 129);  // it drifts by far more than the two differ
  Samples challenger = incumbent;
  for (double& sample : challenger) sample -= 5;
  EXPECT_TRUE(beats(challenger, incumbent));
}

TEST(Interval, NoiseBeatsNobody) {
  Samples challenger = around(10, 0);
  for (std::size_t i = 0; i < 13; ++i) challenger[2 * i] = 30;  // faster by far in 17 rounds, slower in 13
  for (std::size_t i = 0; i < 15; ++i) challenger[2 * i + 1] = 5;
  EXPECT_FALSE(beats(challenger, around(10, 0)));
}

TEST(Interval, NothingIsDecidedByFewRounds) { EXPECT_FALSE(beats(around(1, 0, 7), around(100, 0, 7))); }

TEST(Interval, WinnerIsTheFirstUnlessItIsBeaten) {
  EXPECT_EQ(winner_of({around(10, 1), around(10, 1)}), 0U);
  EXPECT_EQ(winner_of({around(20, 1), around(10, 1)}), 1U);
  EXPECT_EQ(winner_of({around(20, 1), around(10, 1), around(5, 1)}), 2U);
  EXPECT_EQ(winner_of({around(20, 1), around(10, 1), around(10, 1)}), 1U);
}

TEST(Interval, WinnerIsAmongThoseThatWereTimed) {
  EXPECT_EQ(winner_of({{}, around(20, 1), around(20, 1)}), 1U);
  EXPECT_EQ(winner_of({around(20, 1), {}}), 0U);
}

}  // namespace
}  // namespace kmux
