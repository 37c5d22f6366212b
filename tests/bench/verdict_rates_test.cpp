// How often verdicts are wrong, on synthetic distributions whose truth is known. The rates that docs/bench.md states are these.
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "kmux/bench/sampling.h"
#include "kmux/bench/verdict.h"

namespace kmux::bench {
namespace {

constexpr int kContests = 400;
constexpr double kFalseAlarms = 0.01;  // at most, of contests: of all their pairs, none that is alike is told apart
constexpr double kMisses = 0.05;  // at most, of pairs that differ by 5 %

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

/// A machine that slows down by a random walk, which all contestants meet.
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

std::vector<Pair> hold(const Noise& noise, const std::vector<double>& factors, std::mt19937_64& random) {
  std::vector<Sample> contestants;
  for (const double factor : factors) {
    contestants.emplace_back([&noise, &random, factor]() -> Result<double> { return factor * noise.sample(random); });
  }
  StopRule rule;
  rule.most = 400;
  rule.relative_interval = 0;  // go on until the verdicts are sure, and no longer: the hardest case for false alarms
  rule.shown_interval = std::numeric_limits<double>::infinity();
  const Sampling sampling = sample_in_rounds(contestants, rule, [] { return std::chrono::nanoseconds(); }).value();
  return judge_pairs(sampling.series, sampling.looks, rule.verdict);
}

bool is_negligible(double ratio) {
  const double most = 1 + VerdictRule().negligible;
  return ratio <= most && 1 / ratio <= most;
}

/// What became of the pairs of many contests.
struct Rates {
  double false_alarms = 0;  // contests in which a pair that is alike is told apart
  double misses = 0;  // of pairs that differ: those that are not said to
  double lies = 0;  // of pairs that differ: those that are called the same, or the other way round
};

/// Contests of contestants that take `factors` of the same time each.
Rates rates_of(const Noise& noise, const std::vector<double>& factors) {
  std::mt19937_64 random(20260101);
  Rates rates;
  double different = 0;
  for (int contest = 0; contest < kContests; ++contest) {
    bool is_false_alarm = false;
    for (const auto& [first, second, judgement] : hold(noise, factors, random)) {
      const Verdict verdict = judgement.verdict;
      const double ratio = factors[first] / factors[second];
      const Verdict truth = is_negligible(ratio) ? Verdict::kSame : ratio < 1 ? Verdict::kFaster : Verdict::kSlower;
      if (truth == Verdict::kSame) {
        is_false_alarm |= verdict == Verdict::kFaster || verdict == Verdict::kSlower;
      } else {
        ++different;
        rates.misses += verdict != truth;
        rates.lies += verdict != truth && verdict != Verdict::kAmbiguous;
      }
    }
    rates.false_alarms += is_false_alarm;
  }
  rates.false_alarms /= kContests;
  if (different > 0) rates.misses /= different;
  return rates;
}

/// Holds contests under each noise, and its rates to what is stated.
void expect_stated_rates(const std::vector<double>& factors) {
  for (const Noise& noise : noises()) {
    const Rates rates = rates_of(noise, factors);
    EXPECT_LE(rates.false_alarms, kFalseAlarms) << noise.name;
    EXPECT_LE(rates.misses, kMisses) << noise.name;
    EXPECT_EQ(rates.lies, 0) << noise.name;
    testing::Test::RecordProperty(std::string(noise.name) + ", false alarms", std::to_string(rates.false_alarms));
    testing::Test::RecordProperty(std::string(noise.name) + ", misses", std::to_string(rates.misses));
  }
}

TEST(VerdictRatesTest, HoldForTwoEqualContestants) { expect_stated_rates({1, 1}); }
TEST(VerdictRatesTest, HoldForFivePercentSlowdown) { expect_stated_rates({1, 1.05}); }
TEST(VerdictRatesTest, HoldForFivePercentSpeedup) { expect_stated_rates({1, 1 / 1.05}); }

// The hardest case for false alarms: a little more would be a difference.
TEST(VerdictRatesTest, HoldForBarelyNegligibleDifference) { expect_stated_rates({1, 1.0099}); }

// Of more contestants there are more pairs to be wrong about: the rates hold for all of them together.
TEST(VerdictRatesTest, HoldForSixEqualContestants) { expect_stated_rates({1, 1, 1, 1, 1, 1}); }
TEST(VerdictRatesTest, HoldForTwoGroupsOfEquals) { expect_stated_rates({1, 1, 1.05, 1.05}); }

}  // namespace
}  // namespace kmux::bench
