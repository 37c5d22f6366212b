#include "isolation/failed_calls.h"

#include <gtest/gtest.h>

namespace kmux {
namespace {

using namespace std::chrono_literals;

class FailedCallsTest : public testing::Test {
 protected:
  static Error crash(std::size_t log_bytes = 0) {
    return make_error(ErrorCode::kCompileFailed, "it crashed.").with("log", std::string(log_bytes, 'x'));
  }
  std::chrono::steady_clock::time_point now_{};
  FailedCalls failed_{10min, [this] { return now_; }};
};

TEST_F(FailedCallsTest, ExpireAfterLifetime) {
  failed_.add("a", crash(), {});
  now_ += 5min;
  failed_.add("b", crash(), {});
  EXPECT_EQ(failed_.find("a", {})->message, "it crashed.");
  now_ += 5min;
  EXPECT_FALSE(failed_.find("a", {}));
  EXPECT_TRUE(failed_.find("b", {}));
  EXPECT_EQ(failed_.count(), 1U);
}

TEST_F(FailedCallsTest, ExpireEarlierWithShorterLifetime) {
  failed_.add("a", crash(), {});
  failed_.add("b", crash(), {}, 10s);
  failed_.add("c", crash(), {}, 20min);
  now_ += 10s;
  EXPECT_TRUE(failed_.find("a", {}));
  EXPECT_FALSE(failed_.find("b", {}));
  now_ += 10min;
  EXPECT_FALSE(failed_.find("c", {}));
  EXPECT_EQ(failed_.count(), 0U);
}

TEST_F(FailedCallsTest, RestartLifetimeOnRepeatedFailure) {
  failed_.add("a", crash(), {});
  now_ += 9min;
  failed_.add("a", crash(), {});
  now_ += 9min;
  EXPECT_TRUE(failed_.find("a", {}));
  EXPECT_EQ(failed_.count(), 1U);
}

TEST_F(FailedCallsTest, TimedOutCallIsRetriedWithLongerTimeout) {
  failed_.add("a", crash(), 100ms);
  EXPECT_TRUE(failed_.find("a", 100ms));
  EXPECT_TRUE(failed_.find("a", 50ms));
  EXPECT_FALSE(failed_.find("a", 101ms));
  EXPECT_FALSE(failed_.find("a", {}));
}

TEST_F(FailedCallsTest, AreBoundedByCount) {
  for (std::size_t i = 0; i < 2 * FailedCalls::kMaxCalls; ++i) failed_.add(std::to_string(i), crash(), {});
  EXPECT_EQ(failed_.count(), FailedCalls::kMaxCalls);
  EXPECT_FALSE(failed_.find("0", {})) << "the oldest go first";
  EXPECT_TRUE(failed_.find(std::to_string(2 * FailedCalls::kMaxCalls - 1), {}));
}

TEST_F(FailedCallsTest, AreBoundedByBytes) {
  constexpr std::size_t kLog = std::size_t{1} << 20;
  for (int i = 0; i < 10; ++i) failed_.add(std::to_string(i), crash(kLog), {});
  EXPECT_EQ(failed_.count(), 3U) << "with their messages, four would be more than 4 MiB";
  EXPECT_TRUE(failed_.find("9", {}));
  failed_.add("huge", crash(FailedCalls::kMaxBytes), {});
  EXPECT_FALSE(failed_.find("huge", {}));
  EXPECT_TRUE(failed_.find("9", {}));
}

}  // namespace
}  // namespace kmux
