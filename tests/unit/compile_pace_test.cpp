#include <vector>

#include <gtest/gtest.h>

#include "pool/admission.h"

namespace kmux {
namespace {

using Duration = CompilePace::Duration;

double left(const CompilePace& pace, std::size_t queued, std::vector<Duration> running, std::size_t workers) {
  return pace.left(queued, running, workers).value().count();
}

TEST(CompilePaceTest, HasNoEstimateInitially) { EXPECT_FALSE(CompilePace().left(3, {}, 2).has_value()); }

TEST(CompilePaceTest, UsesExpectedTimeUntilFirstJobEnds) {
  CompilePace pace;
  pace.expect(Duration(2));
  pace.expect(Duration(50));  // of another plugin: only the first one counts
  EXPECT_DOUBLE_EQ(left(pace, 3, {}, 1), 6);
  pace.ended(Duration(4));
  EXPECT_DOUBLE_EQ(left(pace, 3, {}, 1), 12);
}

TEST(CompilePaceTest, DividesRemainingWorkAmongWorkers) {
  CompilePace pace;
  pace.ended(Duration(3));
  pace.ended(Duration(5));
  EXPECT_DOUBLE_EQ(left(pace, 6, {Duration(1), Duration(3)}, 2), (6 * 4 + 3 + 1) / 2.0);
}

TEST(CompilePaceTest, LimitsWorkersToJobs) {
  CompilePace pace;
  pace.ended(Duration(4));
  EXPECT_DOUBLE_EQ(left(pace, 0, {Duration(1)}, 8), 3);
  EXPECT_DOUBLE_EQ(left(pace, 0, {}, 8), 0);
}

TEST(CompilePaceTest, TreatsOverdueJobAsAlmostDone) {
  CompilePace pace;
  pace.ended(Duration(4));
  EXPECT_DOUBLE_EQ(left(pace, 0, {Duration(9)}, 1), 0);
}

TEST(CompilePaceTest, ComputesJobsPerSecond) {
  EXPECT_DOUBLE_EQ(CompilePace().rate(6, Duration(2)), 3);
  EXPECT_DOUBLE_EQ(CompilePace().rate(0, Duration(0)), 0);
}

}  // namespace
}  // namespace kmux
