#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/progress_view.h"

namespace kmux::cli {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;

TEST(BarTextTest, PrintsCountsRateAndEta) {
  const BarState state{.done = 16, .total = 64, .rate = 3.25, .eta = 14800ms, .running = {"gemm", "scale"}};
  EXPECT_EQ(bar_text(state, 100), "[#####...............] 16/64  3.2/s  eta 15 s  gemm, scale");
}

TEST(BarTextTest, OmitsUnknownFields) {
  EXPECT_EQ(bar_text({.total = 4}, 100), "[....................] 0/4");
  EXPECT_EQ(bar_text({}, 100), "[....................] 0/0");
}

TEST(BarTextTest, CountsFailures) {
  EXPECT_EQ(bar_text({.done = 4, .total = 4, .failed = 1, .rate = 40}, 100),
            "[####################] 4/4  1 failed  40/s");
}

TEST(BarTextTest, PrintsLongTimesInLargerUnits) {
  EXPECT_THAT(bar_text({.total = 1, .eta = 185s}, 100), EndsWith("eta 3 min 05 s"));
  EXPECT_THAT(bar_text({.total = 1, .eta = 2h + 9min + 30s}, 100), EndsWith("eta 2 h 09 min"));
}

TEST(BarTextTest, FitsTerminalWidth) {
  const BarState state{.done = 1, .total = 2, .running = {std::string(100, 'x')}};
  for (const std::size_t width : {0U, 2U, 10U, 40U, 80U}) EXPECT_LE(bar_text(state, width).size(), width);
  EXPECT_THAT(bar_text(state, 40), EndsWith("xxx..."));
}

/// A bar that writes into a list, with a clock that the test sets.
class ProgressBarTest : public testing::Test {
 protected:
  void show(JobStep step, std::size_t index, const CompileCounts& counts) {
    const std::string name = "p" + std::to_string(index);
    bar_.show({.step = step, .index = index, .program = name, .counts = counts});
  }

  std::vector<std::string> written_;
  ProgressBar::Clock::time_point now_{1h};
  ProgressBar bar_{[this](const std::string& text) { written_.push_back(text); }, [] { return std::size_t{41}; },
                   [this] { return now_; }};
};

TEST_F(ProgressBarTest, RedrawsInPlaceAndErasesAtEnd) {
  show(JobStep::kStarted, 0, {.total = 2, .running = 1});
  bar_.end();
  EXPECT_THAT(written_, ElementsAre("\r[....................] 0/2  p0\033[K", "\r\033[K"));
}

TEST_F(ProgressBarTest, DrawsAtMostTenTimesPerSecond) {
  for (int i = 0; i < 1000; ++i) {
    show(JobStep::kStarted, 0, {.total = 2, .running = 1});
    now_ += 1ms;
  }
  EXPECT_THAT(written_, SizeIs(10));
}

TEST_F(ProgressBarTest, ShowsRunningPrograms) {
  show(JobStep::kStarted, 0, {.total = 3, .running = 1});
  show(JobStep::kCompiling, 1, {.total = 3, .running = 2});
  show(JobStep::kDone, 0, {.total = 3, .running = 1, .done = 1});
  now_ += 1s;
  show(JobStep::kStarted, 2, {.total = 3, .running = 2, .done = 1});
  EXPECT_THAT(written_.back(), HasSubstr("1/3  p1, p2"));
}

TEST_F(ProgressBarTest, TickDrawsPendingChanges) {
  show(JobStep::kQueued, 0, {.total = 1});
  show(JobStep::kStarted, 0, {.total = 1, .running = 1});  // too early
  bar_.tick();
  EXPECT_THAT(written_, SizeIs(1));
  now_ += 100ms;
  bar_.tick();
  bar_.tick();  // unchanged
  EXPECT_THAT(written_, SizeIs(2));
  EXPECT_THAT(written_.back(), HasSubstr("0/1  p0"));
}

TEST_F(ProgressBarTest, LeavesLastColumnFree) {
  now_ += 1s;
  show(JobStep::kStarted, 0, {.total = std::size_t{1} << 60, .running = 1});
  EXPECT_EQ(written_.back().size(), 40 + std::string("\r\033[K").size());
}

TEST_F(ProgressBarTest, WritesNothingWithoutProgress) {
  bar_.end();
  EXPECT_THAT(written_, SizeIs(0));
}

}  // namespace
}  // namespace kmux::cli
