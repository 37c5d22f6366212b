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

/// Returns `count` samples that alternate around `middle`.
Samples around(double middle, double spread, std::size_t count = 30) {
  Samples samples(count, middle - spread);
  for (std::size_t i = 0; i < count; i += 2) samples[i] = middle + spread;
  return samples;
}

TEST(WinnerTest, FasterChallengerBeatsIncumbent) {
  EXPECT_TRUE(beats(around(10, 1), around(20, 1)));
  EXPECT_FALSE(beats(around(20, 1), around(10, 1)));
}

TEST(WinnerTest, EqualOrBarelyFasterChallengerLoses) {
  EXPECT_FALSE(beats(around(10, 1), around(10, 1)));
  EXPECT_FALSE(beats(around(9.95, 0), around(10, 0))) << "half a percent is not worth another backend";
  EXPECT_TRUE(beats(around(9.8, 0), around(10, 0)));
}

TEST(WinnerTest, ComparesWithinEachRound) {
  Samples incumbent = rising(100, 129);  // it drifts by far more than the difference
  Samples challenger = incumbent;
  for (double& sample : challenger) sample -= 5;
  EXPECT_TRUE(beats(challenger, incumbent));
}

TEST(WinnerTest, NoisyChallengerDoesNotWin) {
  Samples challenger = around(10, 0);
  for (std::size_t i = 0; i < 13; ++i) challenger[2 * i] = 30;  // faster by far in 17 rounds, slower in 13
  for (std::size_t i = 0; i < 15; ++i) challenger[2 * i + 1] = 5;
  EXPECT_FALSE(beats(challenger, around(10, 0)));
}

TEST(WinnerTest, TooFewRoundsDecideNothing) { EXPECT_FALSE(beats(around(1, 0, 7), around(100, 0, 7))); }

std::size_t winner_of(const std::vector<Samples>& samples) { return standing_of(samples).winner; }

TEST(WinnerTest, IsFirstUnlessBeaten) {
  EXPECT_EQ(winner_of({around(10, 1), around(10, 1)}), 0U);
  EXPECT_EQ(winner_of({around(20, 1), around(10, 1)}), 1U);
  EXPECT_EQ(winner_of({around(20, 1), around(10, 1), around(5, 1)}), 2U);
  EXPECT_EQ(winner_of({around(20, 1), around(10, 1), around(10, 1)}), 1U);
}

TEST(WinnerTest, IsChosenAmongTimedCandidates) {
  EXPECT_EQ(winner_of({{}, around(20, 1), around(20, 1)}), 1U);
  EXPECT_EQ(winner_of({around(20, 1), {}}), 0U);
}

TEST(WinnerTest, IsSureIfNoOtherCanBeFaster) {
  EXPECT_TRUE(standing_of({around(10, 0), around(20, 0)}).is_sure);
  EXPECT_TRUE(standing_of({around(10, 0), around(9.95, 0)}).is_sure) << "half a percent is not worth another backend";
  EXPECT_TRUE(standing_of({around(10, 0)}).is_sure);
  EXPECT_TRUE(standing_of({{}, around(10, 0)}).is_sure);
}

// The rival is twice as fast by its median, but slower in too many rounds for a decision.
TEST(WinnerTest, IsUndecidedIfAnotherMayBeFaster) {
  Samples rival = around(18, 0);
  for (std::size_t i = 0; i < 12; ++i) rival[2 * i] = 40;
  const Standing standing = standing_of({around(36, 0), rival});
  EXPECT_EQ(standing.winner, 0U);
  EXPECT_FALSE(standing.is_sure);
  ASSERT_TRUE(standing.ratios[1].has_value());
  EXPECT_DOUBLE_EQ(standing.ratios[1]->low, 0.5);
  EXPECT_GT(standing.ratios[1]->high, 1);
  EXPECT_FALSE(standing.ratios[0].has_value());
  EXPECT_FALSE(standing_of({around(10, 0, 7), around(20, 0, 7)}).is_sure) << "too few rounds";
}

TEST(WinnerTest, RequiresMoreEvidenceAfterMoreLooks) {
  Samples rival = around(18, 0);
  for (std::size_t i = 0; i < 6; ++i) rival[2 * i] = 40;
  EXPECT_EQ(standing_of({around(36, 0), rival}, 1).winner, 1U);
  EXPECT_EQ(standing_of({around(36, 0), rival}, 30).winner, 0U);
  EXPECT_FALSE(standing_of({around(36, 0), rival}, 30).is_sure);
}

TEST(WinnerTest, NarrowIntervalIsFitToShow) {
  const std::vector<Samples> narrow = {around(10, 0.1)}, wide = {around(10, 1)};
  EXPECT_TRUE(is_fit_to_show(standing_of(narrow), narrow));
  EXPECT_FALSE(is_fit_to_show(standing_of(wide), wide));
}

}  // namespace
}  // namespace kmux
