#include "kmux/bench/verdict.h"

#include <vector>

#include <gtest/gtest.h>

namespace kmux::bench {
namespace {

using Samples = std::vector<double>;

/// `count` samples that alternate round `middle`.
Samples around(double middle, double spread, std::size_t count = 40) {
  Samples samples(count, middle - spread);
  for (std::size_t i = 0; i < count; i += 2) samples[i] = middle + spread;
  return samples;
}

Verdict verdict(double contender, double baseline) {
  return judge(around(contender, 0.001), around(baseline, 0.001)).verdict;
}

TEST(VerdictTest, ReportsSameSlowerOrFaster) {
  EXPECT_EQ(verdict(10, 10), Verdict::kSame);
  EXPECT_EQ(verdict(10.5, 10), Verdict::kSlower);
  EXPECT_EQ(verdict(9.5, 10), Verdict::kFaster);
}

TEST(VerdictTest, IgnoresNegligibleDifference) {
  EXPECT_EQ(verdict(10.09, 10), Verdict::kSame);
  EXPECT_EQ(verdict(10.12, 10), Verdict::kSlower);
}

TEST(VerdictTest, IsAmbiguousForStraddlingInterval) {
  const VerdictRule rule;
  EXPECT_EQ(verdict_of({1.015, 1.005, 1.03}, rule), Verdict::kAmbiguous);
  EXPECT_EQ(verdict_of({1.0, 0.97, 1.03}, rule), Verdict::kAmbiguous);
  EXPECT_EQ(verdict_of({1.0, 0.985, 1.015}, rule), Verdict::kSame);
}

TEST(VerdictTest, ComparesWithinEachRound) {
  Samples baseline = around(100, 0);
  for (std::size_t i = 0; i < baseline.size(); ++i)
    baseline[i] *= 1 + 0.05 * static_cast<double>(i);  // it drifts by far
  Samples contender = baseline;
  for (double& sample : contender) sample *= 1.03;
  const Judgement judgement = judge(contender, baseline);
  EXPECT_EQ(judgement.verdict, Verdict::kSlower);
  EXPECT_NEAR(judgement.ratio.median, 1.03, 1e-12);
  EXPECT_EQ(judgement.rounds, 40U);
}

TEST(VerdictTest, IsAmbiguousForFewRounds) {
  EXPECT_EQ(judge(around(20, 0, 8), around(10, 0, 8)).verdict, Verdict::kAmbiguous);
  EXPECT_EQ(judge(around(20, 0, 9), around(10, 0, 9)).verdict, Verdict::kSlower);
  EXPECT_EQ(judge({}, {}), Judgement{});
}

TEST(VerdictTest, RequiresMoreEvidenceWithMoreLooks) {
  EXPECT_EQ(judge(around(20, 0, 9), around(10, 0, 9), 2).verdict, Verdict::kAmbiguous);
  const Samples contender = around(10.4, 0.3, 60);
  const Samples baseline = around(10, 0, 60);
  EXPECT_LE(judge(contender, baseline, 9).ratio.low, judge(contender, baseline, 1).ratio.low);
}

TEST(VerdictTest, CountsRoundsOfShorterSeries) { EXPECT_EQ(judge(around(10, 1, 30), around(10, 1, 20)).rounds, 20U); }

TEST(VerdictTest, PrintsAsText) {
  EXPECT_EQ(to_string(Verdict::kSame), "same");
  EXPECT_EQ(to_string(Verdict::kFaster), "faster");
  EXPECT_EQ(to_string(Verdict::kSlower), "slower");
  EXPECT_EQ(to_string(Verdict::kAmbiguous), "ambiguous");
}

}  // namespace
}  // namespace kmux::bench
