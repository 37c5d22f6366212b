#include <vector>

#include <gtest/gtest.h>

#include "tune/launch_timer.h"

namespace kmux {
namespace {

using Samples = std::vector<double>;

Samples rising(int from, int to) {
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

TEST(Winner, OneBeatsAnotherIfItIsSurelyFaster) {
  EXPECT_TRUE(beats(around(10, 1), around(20, 1)));
  EXPECT_FALSE(beats(around(20, 1), around(10, 1)));
}

TEST(Winner, NobodyBeatsAnEqual) {
  EXPECT_FALSE(beats(around(10, 1), around(10, 1)));
  EXPECT_FALSE(beats(around(9.95, 0), around(10, 0))) << "half a percent is not worth another backend";
  EXPECT_TRUE(beats(around(9.8, 0), around(10, 0)));
}

TEST(Winner, ComparesWithinEachRound) {
  Samples incumbent = rising(100, 129);  // it drifts by far more than the two differ
  Samples challenger = incumbent;
  for (double& sample : challenger) sample -= 5;
  EXPECT_TRUE(beats(challenger, incumbent));
}

TEST(Winner, NoiseBeatsNobody) {
  Samples challenger = around(10, 0);
  for (std::size_t i = 0; i < 13; ++i) challenger[2 * i] = 30;  // faster by far in 17 rounds, slower in 13
  for (std::size_t i = 0; i < 15; ++i) challenger[2 * i + 1] = 5;
  EXPECT_FALSE(beats(challenger, around(10, 0)));
}

TEST(Winner, NothingIsDecidedByFewRounds) { EXPECT_FALSE(beats(around(1, 0, 7), around(100, 0, 7))); }

TEST(Winner, WinnerIsTheFirstUnlessItIsBeaten) {
  EXPECT_EQ(winner_of({around(10, 1), around(10, 1)}), 0U);
  EXPECT_EQ(winner_of({around(20, 1), around(10, 1)}), 1U);
  EXPECT_EQ(winner_of({around(20, 1), around(10, 1), around(5, 1)}), 2U);
  EXPECT_EQ(winner_of({around(20, 1), around(10, 1), around(10, 1)}), 1U);
}

TEST(Winner, WinnerIsAmongThoseThatWereTimed) {
  EXPECT_EQ(winner_of({{}, around(20, 1), around(20, 1)}), 1U);
  EXPECT_EQ(winner_of({around(20, 1), {}}), 0U);
}

}  // namespace
}  // namespace kmux
