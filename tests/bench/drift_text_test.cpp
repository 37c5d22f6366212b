#include <gtest/gtest.h>

#include "bench/reports.h"
#include "bench/src/contest.h"

namespace kmux::bench {
namespace {

TEST(DriftTextTest, NamesDriftedClocks) {
  EXPECT_EQ(
      drift_text(contest_at(8)),
      "clocks drifted meanwhile, the host's by +7.0 %, cuda:0's by -4.0 %: ratios hold, times are less sure than they "
      "look");
}

TEST(DriftTextTest, IsEmptyWithoutDrift) {
  Contest contest = contest_at(8);
  contest.host_drift = -0.02;
  contest.device_drift["cuda:0"] = 0.03;
  EXPECT_EQ(drift_text(contest), "");
}

}  // namespace
}  // namespace kmux::bench
