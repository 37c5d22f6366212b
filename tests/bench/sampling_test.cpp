#include "kmux/bench/sampling.h"

#include <cmath>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux::bench {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

std::chrono::nanoseconds no_time() { return {}; }

TEST(SamplingTest, RotatesAndReversesOrderEachRound) {
  std::string turns;
  std::vector<Sample> contestants;
  for (const char name : std::string("abc")) {
    contestants.emplace_back([&turns, name]() -> Result<double> { return turns += name, 1.0; });
  }
  StopRule rule;
  rule.warm_up = 1;
  rule.fewest = rule.most = 4;
  ASSERT_TRUE(sample_in_rounds(contestants, rule, no_time).ok());
  EXPECT_EQ(turns,
            "abc"
            "abc"
            "cba"
            "bca"
            "acb");
}

TEST(SamplingTest, StopsOnFirstError) {
  const std::vector<Sample> contestants = {
      [] { return Result<double>(1.0); },
      []() -> Result<double> { return make_error(ErrorCode::kLaunchFailed, "it broke"); }};
  const auto sampling = sample_in_rounds(contestants, {}, no_time);
  ASSERT_FALSE(sampling.ok());
  EXPECT_EQ(sampling.error().message, "it broke");
}

TEST(SamplingTest, StopsWhenEveryPairIsDecided) {
  const std::vector<Sample> contestants = {[] { return Result<double>(1.0); }, [] { return Result<double>(2.0); }};
  const auto sampling = sample_in_rounds(contestants, {}, no_time);
  ASSERT_TRUE(sampling.ok());
  EXPECT_EQ(sampling->stop, Stop::kDecided);
  EXPECT_THAT(sampling->series, Each(SizeIs(12)));
  EXPECT_EQ(sampling->looks, 1U);
}

TEST(SamplingTest, ContinuesUntilShownIntervalsAreNarrow) {
  int round = 0;
  const Sample noisy = [&round] { return Result<double>(++round % 2 == 0 ? 20.0 : 10.0); };
  StopRule rule;
  rule.most = 100;
  const std::vector<Sample> contestants = {[] { return Result<double>(1.0); }, noisy};
  EXPECT_EQ(sample_in_rounds(contestants, rule, no_time)->stop, Stop::kRounds) << "ten times, or twenty";
  rule.shown_interval = 1;
  EXPECT_EQ(sample_in_rounds(contestants, rule, no_time)->stop, Stop::kDecided);
}

TEST(SamplingTest, ContinuesForPairsWithoutBaseline) {
  int round = 0;
  const auto constant = [](double time) { return [time] { return Result<double>(time); }; };
  const auto noisy = [&round](double time) {
    return [&round, time] { return Result<double>(++round % 3 == 0 ? 2 * time : time); };
  };
  StopRule rule;
  rule.most = 40;
  const auto sampling = sample_in_rounds({constant(1), noisy(10), noisy(11)}, rule, no_time);
  EXPECT_EQ(sampling->stop, Stop::kRounds) << "the first is surely quicker, the others are not told apart";
}

TEST(SamplingTest, SingleContestantStopsOnNarrowInterval) {
  const auto sampling = sample_in_rounds({[] { return Result<double>(1.0); }}, {}, no_time);
  EXPECT_EQ(sampling->stop, Stop::kNarrow);
}

std::vector<Sample> noisy_pair(std::mt19937_64& random) {
  const Sample sample = [&random]() -> Result<double> {
    return std::exp(std::normal_distribution<double>(0, 1)(random));
  };
  return {sample, sample};
}

TEST(SamplingTest, StopsAtTimeLimit) {
  std::mt19937_64 random(1);
  std::chrono::nanoseconds time{};
  const auto now = [&] { return time += std::chrono::milliseconds(50); };
  const auto sampling = sample_in_rounds(noisy_pair(random), {}, now);
  EXPECT_EQ(sampling->stop, Stop::kTime);
  EXPECT_THAT(sampling->series, Each(SizeIs(40))) << "2 s";
}

std::size_t rounds_in(std::chrono::milliseconds limit) {
  std::mt19937_64 random(1);
  std::chrono::nanoseconds time{};
  StopRule rule;
  rule.time = limit;
  const auto sampling =
      sample_in_rounds(noisy_pair(random), rule, [&] { return time += std::chrono::milliseconds(50); });
  EXPECT_EQ(sampling->stop, Stop::kTime);
  return sampling->series.front().size();
}

TEST(SamplingTest, RunsMinimumRoundsUnlessTooSlow) {
  EXPECT_EQ(rounds_in(std::chrono::milliseconds(200)), 12U) << "four rounds in its time, the fewest in three times it";
  EXPECT_EQ(rounds_in(std::chrono::milliseconds(50)), 5U);
}

TEST(SamplingTest, StopsAtRoundLimit) {
  std::mt19937_64 random(1);
  StopRule rule;
  rule.most = 50;
  const auto sampling = sample_in_rounds(noisy_pair(random), rule, no_time);
  EXPECT_EQ(sampling->stop, Stop::kRounds);
  EXPECT_EQ(sampling->looks, 5U) << "after 12, 18, 27, 40 and 50";
}

TEST(StopTest, PrintsAsText) {
  EXPECT_EQ(to_string(Stop::kDecided), "decided");
  EXPECT_EQ(to_string(Stop::kNarrow), "narrow");
  EXPECT_EQ(to_string(Stop::kTime), "time");
  EXPECT_EQ(to_string(Stop::kRounds), "rounds");
}

}  // namespace
}  // namespace kmux::bench
