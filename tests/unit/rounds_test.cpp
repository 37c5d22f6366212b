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

/// Candidates that write down their turns, and a clock that moves by `step` each time it is read.
class Rounds : public testing::Test {
 protected:
  TimeOnce candidate(char name) {
    return [this, name]() -> Result<double> {
      turns_ += name;
      return name == failing_ ? Result<double>(make_error(ErrorCode::kLaunchFailed, "it broke.")) : name - 'a' + 1.0;
    };
  }
  Result<std::vector<std::vector<double>>> timed(const RoundLimits& limits) {
    return time_in_rounds({candidate('a'), candidate('b')}, limits, [this] { return time_ += step_; });
  }
  std::string turns_;
  char failing_ = 0;
  std::chrono::nanoseconds time_{};
  std::chrono::nanoseconds step_ = 1ms;
};

TEST_F(Rounds, InterleaveForwardsAndBackwardsAfterOneThatDoesNotCount) {
  const auto samples = timed({.most = 3}).value();
  EXPECT_EQ(turns_,
            "ab"
            "ab"
            "ba"
            "ab");
  EXPECT_THAT(samples, ElementsAre(ElementsAre(1, 1, 1), ElementsAre(2, 2, 2)));
}

TEST_F(Rounds, EndWithTheTimeOnceThereAreEnough) {
  step_ = 200ms;
  EXPECT_THAT(timed({.most = 30, .least = 8, .time = 500ms}).value(), Each(SizeIs(10)));
  step_ = 1h;
  EXPECT_THAT(timed({.most = 30, .least = 8, .time = 500ms}).value(), Each(SizeIs(8)));
}

TEST_F(Rounds, AreNoMoreThanAskedFor) { EXPECT_THAT(timed({}).value(), Each(SizeIs(30))); }

TEST_F(Rounds, EndWithTheFirstError) {
  failing_ = 'b';
  const auto samples = timed({});
  ASSERT_FALSE(samples.ok());
  EXPECT_EQ(samples.error().message, "it broke.");
  EXPECT_EQ(turns_, "ab");
}

}  // namespace
}  // namespace kmux
