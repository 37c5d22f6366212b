#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tune/launch_timer.h"

namespace kmux {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

/// Candidates that record their turns, and a clock that advances by `step` at each reading.
class RoundsTest : public testing::Test {
 protected:
  TimeOnce candidate(char name) {
    return [this, name]() -> Result<double> {
      turns_ += name;
      return name == failing_ ? Result<double>(make_error(ErrorCode::kLaunchFailed, "it broke.")) : name - 'a' + 1.0;
    };
  }
  Result<TimedRounds> timed(const RoundLimits& limits) {
    return time_in_rounds(
        {candidate('a'), candidate('b')}, limits, [this] { return time_ += step_; },
        [this](const std::vector<std::vector<double>>& samples, std::size_t look) {
          looked_at_.push_back(samples[0].size());
          return look == decided_at_;
        });
  }
  std::string turns_;
  std::vector<std::size_t> looked_at_;  // number of rounds at each look
  std::size_t decided_at_ = 0;  // number of the look; 0: never
  char failing_ = 0;
  std::chrono::nanoseconds time_{};
  std::chrono::nanoseconds step_ = 1ms;
};

TEST_F(RoundsTest, AlternateDirectionAfterWarmup) {
  const auto samples = timed({.most = 3}).value().samples;
  EXPECT_EQ(turns_,
            "ab"
            "ab"
            "ba"
            "ab");
  EXPECT_THAT(samples, ElementsAre(ElementsAre(1, 1, 1), ElementsAre(2, 2, 2)));
}

TEST_F(RoundsTest, EndAtTimeLimitAfterMinimumCount) {
  step_ = 200ms;
  const TimedRounds timed_out = timed({.least = 2, .time = 500ms}).value();
  EXPECT_THAT(timed_out.samples, Each(SizeIs(4)));
  EXPECT_EQ(timed_out.looks, looked_at_.size());
  step_ = 1h;
  EXPECT_THAT(timed({.least = 8, .time = 500ms}).value().samples, Each(SizeIs(8)));
}

TEST_F(RoundsTest, EndAtMaximumCount) {
  EXPECT_THAT(timed({.most = 30, .time = 1h}).value().samples, Each(SizeIs(30)));
}

TEST_F(RoundsTest, EndOnceDecided) {
  decided_at_ = 3;
  const TimedRounds rounds = timed({.time = 1h}).value();
  EXPECT_THAT(looked_at_, ElementsAre(16, 24, 36));
  EXPECT_THAT(rounds.samples, Each(SizeIs(36)));
  EXPECT_EQ(rounds.looks, 3U);
}

TEST_F(RoundsTest, EndAtFirstError) {
  failing_ = 'b';
  const auto samples = timed({});
  ASSERT_FALSE(samples.ok());
  EXPECT_EQ(samples.error().message, "it broke.");
  EXPECT_EQ(turns_, "ab");
}

}  // namespace
}  // namespace kmux
