#include "tune/launch_timer.h"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "in_process_plugin.h"

namespace kmux {
namespace {

Error no_such_call() { return make_error(ErrorCode::kUnsupported, "there is none."); }

/// A kernel without parameters on a device that records its calls.
class LaunchTimersTest : public testing::Test {
 protected:
  LaunchTimersTest()
      : parts_(fake_parts({}, [this](const kmux_slot*, const kmux_launch_env& env, kmux_sink) {
          plugin().devices().asked += env.stream != nullptr ? "launch " : "launch on the default stream ";
          return answer_;
        })) {}
  const InProcessPlugin& plugin() const { return static_cast<const InProcessPlugin&>(*parts_.plugin); }
  Result<double> timed(LaunchTimer& timer) { return timer.time(make_kernel(parts_).value(), {}); }
  LaunchTimer timer() const { return LaunchTimer::make(Device(parts_.plugin, 0)).value(); }

  kmux_code answer_ = KMUX_OK;
  KernelParts parts_;
};

TEST_F(LaunchTimersTest, FlushCacheAndTimeWithEvents) {
  plugin().devices().elapsed_ms = 0.25;
  LaunchTimer timing = timer();
  EXPECT_EQ(timed(timing).value(), 250);
  EXPECT_EQ(plugin().devices().asked, "flush record launch record ");
  EXPECT_TRUE(timing.is_cold());
}

TEST_F(LaunchTimersTest, ReportWarmCacheWithoutFlush) {
  plugin().devices().flushes = no_such_call();
  LaunchTimer timing = timer();
  EXPECT_TRUE(timed(timing).ok());
  EXPECT_FALSE(timing.is_cold());
}

TEST_F(LaunchTimersTest, UseClockWithoutEvents) {
  plugin().devices().events = no_such_call();
  LaunchTimer timing = timer();
  EXPECT_GE(timed(timing).value(), 0);
  EXPECT_EQ(plugin().devices().asked, "flush synchronize launch synchronize ");
}

TEST_F(LaunchTimersTest, ReportFailures) {
  LaunchTimer timing = timer();
  answer_ = KMUX_LAUNCH_FAILED;
  EXPECT_EQ(timed(timing).error().code, ErrorCode::kLaunchFailed);
  plugin().devices().flushes = make_error(ErrorCode::kLaunchFailed, "the device is lost.");
  EXPECT_EQ(timed(timing).error().message, "the device is lost.");
  plugin().devices().events = make_error(ErrorCode::kUnavailable, "no more events.");
  EXPECT_EQ(LaunchTimer::make(Device(parts_.plugin, 0)).error().message, "no more events.");
}

}  // namespace
}  // namespace kmux
