#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cache/remote/remote_cache.h"

namespace kmux {
namespace {

using std::chrono::seconds;

class CircuitBreakerTest : public testing::Test {
 protected:
  static CircuitBreaker::Clock::time_point at(int second) { return CircuitBreaker::Clock::time_point(seconds(second)); }
  CircuitBreaker breaker_{seconds(30)};
};

TEST_F(CircuitBreakerTest, AllowsAllCallsUntilFailure) {
  EXPECT_TRUE(breaker_.allows(at(1)));
  EXPECT_TRUE(breaker_.allows(at(1)));
  breaker_.succeeded();
  EXPECT_TRUE(breaker_.allows(at(2)));
}

TEST_F(CircuitBreakerTest, AllowsOneTrialAfterCooldown) {
  breaker_.failed(at(100));
  EXPECT_FALSE(breaker_.allows(at(100)));
  EXPECT_FALSE(breaker_.allows(at(129)));
  EXPECT_TRUE(breaker_.allows(at(130)));
  EXPECT_FALSE(breaker_.allows(at(130))) << "one is enough";
  breaker_.failed(at(131));
  EXPECT_FALSE(breaker_.allows(at(160)));
  EXPECT_TRUE(breaker_.allows(at(161)));
  breaker_.succeeded();
  EXPECT_TRUE(breaker_.allows(at(161)));
  EXPECT_TRUE(breaker_.allows(at(161)));
}

TEST_F(CircuitBreakerTest, AllowsNewTrialIfOneNeverReports) {
  breaker_.failed(at(100));
  EXPECT_TRUE(breaker_.allows(at(130)));
  EXPECT_TRUE(breaker_.allows(at(160)));
}

TEST_F(CircuitBreakerTest, PassesUnusedTrialToNextCaller) {
  breaker_.failed(at(100));
  EXPECT_TRUE(breaker_.allows(at(130)));
  breaker_.not_tried(at(130));
  EXPECT_TRUE(breaker_.allows(at(130)));
  EXPECT_FALSE(breaker_.allows(at(131)));
  breaker_.succeeded();
  breaker_.not_tried(at(132));
  EXPECT_TRUE(breaker_.allows(at(132)));
  EXPECT_TRUE(breaker_.allows(at(132))) << "where all may call, there is nothing to give back";
}

TEST_F(CircuitBreakerTest, WarnsOncePerCooldown) {
  EXPECT_TRUE(breaker_.failed(at(100)));
  EXPECT_FALSE(breaker_.failed(at(100)));
  EXPECT_FALSE(breaker_.failed(at(129)));
  EXPECT_TRUE(breaker_.failed(at(130)));
}

TEST_F(CircuitBreakerTest, AllowsOneTrialAmongThreads) {
  breaker_.failed(at(100));
  std::atomic<int> tries{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { tries += breaker_.allows(at(130)) ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(tries, 1);
}

}  // namespace
}  // namespace kmux
