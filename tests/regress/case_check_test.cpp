#include "regress/case_check.h"

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace kmux::regress {
namespace {

using Random = std::mt19937_64;

/// The logarithm of what a process measures more than the truth, as the same for all of its samples.
struct Noise {
  std::string name;
  std::function<double(Random&)> of_process;
};

double normal(Random& random, double sigma) { return std::normal_distribution<double>(0, sigma)(random); }
bool happens(Random& random, double chance) { return std::bernoulli_distribution(chance)(random); }

// Larger than anything that was seen of a case on a machine busy with builds (about 3 %).
const std::vector<Noise> kNoises = {
    {"none", [](Random&) { return 0.0; }},
    {"normal, 3 %", [](Random& random) { return normal(random, 0.03); }},
    {"two places of code, 25 % apart", [](Random& random) { return happens(random, 0.5) ? 0.22 : 0.0; }},
    {"one process in ten twice as slow",
     [](Random& random) { return normal(random, 0.02) + (happens(random, 0.1) ? 0.7 : 0); }},
    {"heavy tail", [](Random& random) { return std::cauchy_distribution<double>(0, 0.01)(random); }}};

/// What a process measures of a case `factor` times as slow: half a percent of interval to each side.
Interval measured(const Noise& noise, double factor, Random& random) {
  const double ratio = 0.5 * factor * std::exp(noise.of_process(random));
  return {ratio, ratio * 0.995, ratio * 1.005};
}

CaseCheck checked(const Noise& noise, double factor, double threshold, Random& random) {
  std::vector<Interval> baseline;
  for (std::size_t i = 0; i < kBaselineProcesses; ++i) baseline.push_back(measured(noise, 1, random));
  CaseCheck check(baseline, threshold);
  while (!check.is_decided()) check.add(measured(noise, factor, random));
  return check;
}

/// The part of `count` checks that find `finding`.
double part_found(Finding finding, const Noise& noise, double factor, double threshold, int count) {
  Random random(7);
  int found = 0;
  for (int i = 0; i < count; ++i) found += checked(noise, factor, threshold, random).finding() == finding ? 1 : 0;
  return static_cast<double>(found) / count;
}

// (1 + 7 * 15) / C(22, 7): of 22 processes that are alike, six of the seven new ones come before the second of the old.
constexpr double kFalseAlarm = 106.0 / 170544;

TEST(CaseCheckTest, RarelyRaisesFalseAlarmsWithoutThreshold) {
  for (const Noise& noise : kNoises) {
    EXPECT_LE(part_found(Finding::kSlower, noise, 1, 0, 50000), 1.3 * kFalseAlarm) << noise.name;
    EXPECT_LE(part_found(Finding::kFaster, noise, 1, 0, 50000), 1.3 * kFalseAlarm) << noise.name;
  }
}

TEST(CaseCheckTest, LimitsFalseAlarmsToOneIn10000WithThreshold) {
  for (const Noise& noise : kNoises) {
    EXPECT_LE(part_found(Finding::kSlower, noise, 1, 0.1, 50000), 1e-4) << noise.name;
  }
}

// What is allowed is not reported; what differs between baseline and check by the day is within it.
TEST(CaseCheckTest, AllowsSlowdownWithinThreshold) {
  EXPECT_EQ(part_found(Finding::kSlower, kNoises[1], 1.05, 0.1, 5000), 0);
  EXPECT_EQ(part_found(Finding::kSlower, kNoises[0], 1.09, 0.1, 10), 0);
  EXPECT_EQ(part_found(Finding::kSlower, kNoises[0], 1.11, 0.1, 10), 1);
}

TEST(CaseCheckTest, DetectsTwofoldSlowdown) {
  for (const Noise& noise : kNoises) {
    const double expected = noise.name == "one process in ten twice as slow" ? 0.2
                            : noise.name == "heavy tail"                     ? 0.7
                                                                             : 0.999;
    EXPECT_GE(part_found(Finding::kSlower, noise, 2, 0.1, 5000), expected) << noise.name;
  }
}

TEST(CaseCheckTest, DetectsQuarterSlowdownUnderNoise) {
  EXPECT_GE(part_found(Finding::kSlower, kNoises[1], 1.25, 0.1, 5000), 0.9);
  EXPECT_GE(part_found(Finding::kSlower, kNoises[0], 1.25, 0.1, 5000), 1);
}

TEST(CaseCheckTest, DetectsSpeedup) { EXPECT_GE(part_found(Finding::kFaster, kNoises[1], 0.7, 0.1, 5000), 0.95); }

TEST(CaseCheckTest, NeedsThreeProcessesWhenUnchanged) {
  Random random(1);
  EXPECT_EQ(checked(kNoises[0], 1, 0.1, random).processes(), 3);
  EXPECT_EQ(checked(kNoises[0], 2, 0.1, random).processes(), 7);
}

TEST(CaseCheckTest, ToleratesOneOutlier) {
  CaseCheck check({{1, 1, 1}}, 0.1);
  for (const double ratio : {2.0, 2.0, 1.0, 2.0, 2.0, 2.0, 2.0}) {
    EXPECT_FALSE(check.is_decided());
    check.add({ratio, ratio, ratio});
  }
  EXPECT_EQ(check.finding(), Finding::kSlower);
}

TEST(CaseCheckTest, ReportsSameAfterTwoNormalProcesses) {
  CaseCheck check({{1, 1, 1}}, 0.1);
  for (const double ratio : {1.0, 2.0, 2.0, 2.0, 1.0}) check.add({ratio, ratio, ratio});
  EXPECT_EQ(check.finding(), Finding::kSame);
}

// Its median lies above what is allowed, but not its whole interval.
TEST(CaseCheckTest, CountsInconclusiveProcessAsNotSlow) {
  CaseCheck check({{1, 1, 1}}, 0.1);
  for (int i = 0; i < 3; ++i) check.add({1.2, 1.05, 1.3});
  EXPECT_EQ(check.finding(), Finding::kSame);
}

TEST(CaseCheckTest, ComputesBandOfAllProcesses) {
  EXPECT_EQ(band_of({{3, 2, 4}, {1, 0, 9}, {2, 2, 2}}), (Interval{2, 1, 3}));
  EXPECT_EQ(band_of({{1, 1, 1}, {2, 2, 2}}), (Interval{1.5, 1, 2}));
}

TEST(CaseCheckTest, DropsOneBaselineOutlierOnEachSide) {
  std::vector<Interval> baseline(kBaselineProcesses, {1, 1, 1});
  baseline.front() = {9, 9, 9};
  baseline.back() = {0.1, 0.1, 0.1};
  EXPECT_EQ(CaseCheck(baseline, 0.1).baseline(), (Interval{1, 1, 1}));
}

TEST(CaseCheckTest, NamesItsFindings) {
  EXPECT_EQ(to_string(Finding::kSame), "same");
  EXPECT_EQ(to_string(Finding::kSlower), "slower");
  EXPECT_EQ(to_string(Finding::kFaster), "faster");
  EXPECT_EQ(to_string(Finding::kUndecided), "undecided");
}

}  // namespace
}  // namespace kmux::regress
