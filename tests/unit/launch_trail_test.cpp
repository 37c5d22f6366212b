#include "plugins/launch_trail.h"

#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "kernel/kernel_impl.h"

namespace kmux {
namespace {

constexpr int kType = 77, kOtherType = 78;

class LaunchTrailTest : public testing::Test {
 protected:
  LaunchTrailTest() { current_lane(); }
  void launch(const char* kernel, void* stream = nullptr, int ordinal = 0, int type = kType) {
    current_lane();
    trail_->note(LaunchTrail::mark_of(kernel, type), ordinal, stream);
  }
  void wait(void* stream, bool good, int ordinal = 0) {
    trail_->begin_wait(kType, ordinal, stream);
    trail_->end_wait(kType, ordinal, stream, good);
  }
  std::string text(int ordinal = 0) { return trail_->text_of(kType, ordinal); }

  int there_ = 0;
  void* stream_ = &there_;
  std::unique_ptr<LaunchTrail> trail_ = std::make_unique<LaunchTrail>();
};

TEST_F(LaunchTrailTest, ListsLaunchesOfDeviceLatestFirst) {
  EXPECT_EQ(text(), "");
  launch("scale");
  launch("scale");
  launch("add", stream_);
  launch("elsewhere", nullptr, 1);
  launch("another", nullptr, 0, kOtherType);
  EXPECT_EQ(text(), "add, 2 x scale");
  EXPECT_EQ(text(1), "elsewhere");
  EXPECT_EQ(trail_->text_of(kOtherType, 0), "another");
}

TEST_F(LaunchTrailTest, ForgetsLaunchesBeforeSuccessfulWait) {
  launch("default");
  launch("own", stream_);
  wait(stream_, false);
  EXPECT_EQ(text(), "own, default");
  wait(stream_, true);
  EXPECT_EQ(text(), "default");
  wait(reinterpret_cast<void*>(1), true);  // the other handle of the default stream
  EXPECT_EQ(text(), "");
}

TEST_F(LaunchTrailTest, KeepsLaunchesDuringWait) {
  launch("before");
  trail_->begin_wait(kType, 0, nullptr);
  std::thread([this] { launch("meanwhile"); }).join();
  trail_->end_wait(kType, 0, nullptr, true);
  EXPECT_EQ(text(), "by another thread, in any order: meanwhile");
}

TEST_F(LaunchTrailTest, DistinguishesPerThreadStreams) {
  void* const of_thread = reinterpret_cast<void*>(2);
  launch("own", of_thread);
  std::thread([&] {
    launch("other", of_thread);
    wait(of_thread, true);
  }).join();
  EXPECT_EQ(text(), "own");
}

TEST_F(LaunchTrailTest, IsBounded) {
  for (int i = 0; i < 20; ++i) launch("old");
  for (int i = 0; i < 15; ++i) launch("new");
  EXPECT_EQ(text(), "15 x new, old");
}

TEST_F(LaunchTrailTest, EqualNamesShareOneMark) {
  EXPECT_EQ(LaunchTrail::mark_of(std::string("scale"), kType), LaunchTrail::mark_of("scale", kType));
  EXPECT_NE(LaunchTrail::mark_of("scale", kType), LaunchTrail::mark_of("scale", kOtherType));
}

TEST(WithLaunchesTest, AddsNoteOnlyToLaunchErrorsOfDevice) {
  current_lane();
  launch_trail.note(LaunchTrail::mark_of("gather", kType), 3, nullptr);
  const Error told = with_launches(make_error(ErrorCode::kLaunchFailed, "it failed"), kType, 3);
  EXPECT_EQ(told.note("launched before"), "gather");
  EXPECT_EQ(with_launches(told, kType, 3).notes.size(), 1u) << "once";
  EXPECT_TRUE(with_launches(make_error(ErrorCode::kInvalidArgument, "no"), kType, 3).notes.empty());
  EXPECT_TRUE(with_launches(make_error(ErrorCode::kLaunchFailed, "no"), kType, 4).notes.empty());
}

}  // namespace
}  // namespace kmux
