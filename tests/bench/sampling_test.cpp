#include "kmux/bench/sampling.h"

#include <cmath>
#include <functional>
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

// ---- the order of turns and the limits ----

TEST(Sampling, BeginsEachRoundWithAnotherAndTurnsBack) {
  std::string turns;
  std::vector<Sample> contestants;
  for (const char name : std::string("abc")) {
    contestants.emplace_back([&turns, name]() -> Result<double> { return turns += name, 1.0; });
  }
  StopRule rule;
  rule.warm_up = 1;
  rule.fewest = rule.most = 4;
  ASSERT_TRUE(sample_in_rounds(contestants, 0, rule, no_time).ok());
  EXPECT_EQ(turns,
            "abc"
            "abc"
            "cba"
            "bca"
            "acb");
}

TEST(Sampling, EndsWithTheFirstError) {
  const std::vector<Sample> contestants = {
      [] { return Result<double>(1.0); },
      []() -> Result<double> { return make_error(ErrorCode::kLaunchFailed, "it broke"); }};
  const auto sampling = sample_in_rounds(contestants, 0, {}, no_time);
  ASSERT_FALSE(sampling.ok());
  EXPECT_EQ(sampling.error().message, "it broke");
}

TEST(Sampling, EndsAsSoonAsEveryPairIsDecided) {
  const std::vector<Sample> contestants = {[] { return Result<double>(1.0); }, [] { return Result<double>(2.0); }};
  const auto sampling = sample_in_rounds(contestants, 0, {}, no_time);
  ASSERT_TRUE(sampling.ok());
  EXPECT_EQ(sampling->stop, Stop::kDecided);
  EXPECT_THAT(sampling->series, Each(SizeIs(12)));
  EXPECT_EQ(sampling->looks, 1U);
}

TEST(Sampling, OneContestantEndsWhenItsIntervalIsNarrow) {
  const auto sampling = sample_in_rounds({[] { return Result<double>(1.0); }}, 0, {}, no_time);
  EXPECT_EQ(sampling->stop, Stop::kNarrow);
}

std::vector<Sample> noisy_pair(std::mt19937_64& random) {
  const Sample sample = [&random]() -> Result<double> {
    return std::exp(std::normal_distribution<double>(0, 1)(random));
  };
  return {sample, sample};
}

TEST(Sampling, EndsByItsTime) {
  std::mt19937_64 random(1);
  std::chrono::nanoseconds time{};
  const auto now = [&] { return time += std::chrono::milliseconds(50); };
  const auto sampling = sample_in_rounds(noisy_pair(random), 0, {}, now);
  EXPECT_EQ(sampling->stop, Stop::kTime);
  EXPECT_THAT(sampling->series, Each(SizeIs(40))) << "2 s";
}

std::size_t rounds_in(std::chrono::milliseconds limit) {
  std::mt19937_64 random(1);
  std::chrono::nanoseconds time{};
  StopRule rule;
  rule.time = limit;
  const auto sampling =
      sample_in_rounds(noisy_pair(random), 0, rule, [&] { return time += std::chrono::milliseconds(50); });
  EXPECT_EQ(sampling->stop, Stop::kTime);
  return sampling->series.front().size();
}

TEST(Sampling, TakesTheFewestRoundsUnlessTheyTakeForEver) {
  EXPECT_EQ(rounds_in(std::chrono::milliseconds(200)), 12U) << "four rounds in its time, the fewest in three times it";
  EXPECT_EQ(rounds_in(std::chrono::milliseconds(50)), 5U);
}

TEST(Sampling, EndsByItsRounds) {
  std::mt19937_64 random(1);
  StopRule rule;
  rule.most = 50;
  const auto sampling = sample_in_rounds(noisy_pair(random), 0, rule, no_time);
  EXPECT_EQ(sampling->stop, Stop::kRounds);
  EXPECT_EQ(sampling->looks, 5U) << "after 12, 18, 27, 40 and 50";
}

// ---- verdicts where the truth is known ----

/// One sample of time 1, with the noise of a machine.
struct Noise {
  const char* name;
  std::function<double(std::mt19937_64&)> sample;
};

double normal(std::mt19937_64& random, double spread) {
  return std::exp(std::normal_distribution<double>(0, spread)(random));
}

bool happens(std::mt19937_64& random, double probability) {
  return std::uniform_real_distribution<double>(0, 1)(random) < probability;
}

/// A machine that slows down by a random walk, which both of a pair meet.
struct Walk {
  double at = 0;
  double step(std::mt19937_64& random) { return at += std::normal_distribution<double>(0, 0.01)(random); }
};

std::vector<Noise> noises() {
  auto walk = std::make_shared<Walk>();
  return {
      {"log-normal", [](auto& random) { return normal(random, 0.02); }},
      {"spikes", [](auto& random) { return normal(random, 0.01) * (happens(random, 0.1) ? 3 : 1); }},
      {"two clocks", [](auto& random) { return normal(random, 0.005) * (happens(random, 0.3) ? 1.04 : 1); }},
      {"heavy tail", [](auto& random) { return 1 + 0.01 * std::abs(std::cauchy_distribution<double>(0, 1)(random)); }},
      {"coarse clock", [](auto& random) { return std::round(normal(random, 0.03) * 50) / 50; }},
      {"random walk", [walk](auto& random) { return std::exp(walk->step(random)) * normal(random, 0.01); }}};
}

/// Verdicts of 400 pairs of which the contender takes `factor` times as long.
std::vector<std::size_t> verdicts(const Noise& noise, double factor) {
  std::mt19937_64 random(20260101);
  std::vector<std::size_t> counts(4);
  for (int pair = 0; pair < 400; ++pair) {
    const std::vector<Sample> contestants = {[&]() -> Result<double> { return noise.sample(random); },
                                             [&]() -> Result<double> { return factor * noise.sample(random); }};
    StopRule rule;
    rule.most = 400;
    rule.relative_interval = 0;  // go on until the verdict is sure: the hardest case for false alarms
    const auto sampling = sample_in_rounds(contestants, 0, rule, no_time);
    const Judgement judgement = judge(sampling->series[1], sampling->series[0], sampling->looks);
    ++counts[static_cast<std::size_t>(judgement.verdict)];
  }
  return counts;
}

std::size_t count_of(const std::vector<std::size_t>& counts, Verdict verdict) {
  return counts[static_cast<std::size_t>(verdict)];
}

// Stated: at most 1 % of pairs that are alike are called different, whatever the noise.
TEST(Sampling, RarelyTellsEqualsApart) {
  for (const Noise& noise : noises()) {
    const auto counts = verdicts(noise, 1);
    EXPECT_LE(count_of(counts, Verdict::kFaster) + count_of(counts, Verdict::kSlower), 4U) << noise.name;
  }
}

// Stated: at most 5 % of slowdowns by 5 % are missed, and none is called the same or faster.
TEST(Sampling, DetectsASlowdownByFivePercent) {
  for (const Noise& noise : noises()) {
    const auto counts = verdicts(noise, 1.05);
    EXPECT_GE(count_of(counts, Verdict::kSlower), 380U) << noise.name;
    EXPECT_EQ(count_of(counts, Verdict::kFaster) + count_of(counts, Verdict::kSame), 0U) << noise.name;
  }
}

TEST(Sampling, DetectsAGainByFivePercent) {
  for (const Noise& noise : noises())
    EXPECT_GE(count_of(verdicts(noise, 1 / 1.05), Verdict::kFaster), 380U) << noise.name;
}

TEST(Stop, HasAWord) {
  EXPECT_EQ(to_string(Stop::kDecided), "decided");
  EXPECT_EQ(to_string(Stop::kNarrow), "narrow");
  EXPECT_EQ(to_string(Stop::kTime), "time");
  EXPECT_EQ(to_string(Stop::kRounds), "rounds");
}

}  // namespace
}  // namespace kmux::bench
