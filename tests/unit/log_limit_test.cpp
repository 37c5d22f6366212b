#include <gtest/gtest.h>

#include "cache/remote/remote_cache.h"

namespace kmux {
namespace {

using std::chrono::seconds;

class LogLimitTest : public testing::Test {
 protected:
  using Verdict = LogLimit::Verdict;
  Verdict judge(const std::string& line, int second) {
    return limit_.judge(line, LogLimit::Clock::time_point(seconds(second)));
  }
  LogLimit limit_{seconds(30)};
};

TEST_F(LogLimitTest, LogsEachLineOncePerPeriod) {
  EXPECT_EQ(judge("a", 100), Verdict::kLog);
  EXPECT_EQ(judge("a", 129), Verdict::kDrop);
  EXPECT_EQ(judge("b", 129), Verdict::kLog);
  EXPECT_EQ(judge("a", 130), Verdict::kLog);
}

TEST_F(LogLimitTest, LimitsLinesPerPeriod) {
  for (int i = 1; i < 8; ++i) EXPECT_EQ(judge(std::to_string(i), 100), Verdict::kLog);
  EXPECT_EQ(judge("8", 100), Verdict::kLogAsLast);
  EXPECT_EQ(judge("9", 100), Verdict::kDrop);
  EXPECT_EQ(judge("9", 130), Verdict::kLog);
}

}  // namespace
}  // namespace kmux
