#include "kmux/bench/call_timer.h"

#include <gtest/gtest.h>

namespace kmux::bench {
namespace {

TEST(CallTimerTest, FlushesCoverQueueingTime) {
  EXPECT_EQ(flushes_for(5, 30), 1);
  EXPECT_EQ(flushes_for(20, 30), 1);
  EXPECT_EQ(flushes_for(21, 30), 2) << "half as long again as queueing takes";
  EXPECT_EQ(flushes_for(800, 30), 40);
}

TEST(CallTimerTest, LimitsNumberOfFlushes) {
  EXPECT_EQ(flushes_for(0, 30), 1);
  EXPECT_EQ(flushes_for(1e9, 30), 64);
}

}  // namespace
}  // namespace kmux::bench
