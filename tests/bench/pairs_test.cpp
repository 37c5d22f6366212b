#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/bench/verdict.h"

namespace kmux::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PairsTest, JudgeFirstAgainstSecond) {
  const std::vector<std::vector<double>> series = {std::vector<double>(40, 1), std::vector<double>(40, 2),
                                                   std::vector<double>(40, 1)};
  std::vector<std::string> words;
  for (const Pair& pair : judge_pairs(series, 1, {})) {
    words.push_back(std::to_string(pair.first) + std::to_string(pair.second) + " " +
                    std::string(to_string(pair.judgement.verdict)));
  }
  EXPECT_THAT(words, ElementsAre("01 faster", "02 same", "12 slower"));
}

TEST(PairsTest, RequireTwoSeries) {
  EXPECT_THAT(judge_pairs({}, 1, {}), IsEmpty());
  EXPECT_THAT(judge_pairs({{1, 2, 3}}, 1, {}), IsEmpty());
}

TEST(PairsTest, ShareErrorRate) {
  EXPECT_DOUBLE_EQ(rule_of_pairs({}, 1).error, 0.01);
  EXPECT_DOUBLE_EQ(rule_of_pairs({}, 2).error, 0.01);
  EXPECT_DOUBLE_EQ(rule_of_pairs({}, 3).error, 0.01 / 3);
  EXPECT_DOUBLE_EQ(rule_of_pairs({}, 6).error, 0.01 / 15);
}

TEST(PairsTest, RequireMoreEvidenceWithMorePairs) {
  const std::vector<double> one(9, 1);
  const std::vector<double> other(9, 2);
  EXPECT_EQ(judge_pairs({one, other}, 1, {}).front().judgement.verdict, Verdict::kFaster);
  EXPECT_EQ(judge_pairs({one, other, one}, 1, {}).front().judgement.verdict, Verdict::kAmbiguous);
}

}  // namespace
}  // namespace kmux::bench
