#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/progress_view.h"

namespace kmux::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(BarLineTest, FillsWithProgress) {
  EXPECT_EQ(bar_of(0), "[....................]");
  EXPECT_EQ(bar_of(0.25), "[#####...............]");
  EXPECT_EQ(bar_of(1.1), "[####################]");
}

TEST(BarLineTest, FormatsTimeLeft) {
  EXPECT_EQ(time_left_text(milliseconds(44100)), "45 s");
  EXPECT_EQ(time_left_text(seconds(185)), "3 min 05 s");
  EXPECT_EQ(time_left_text(seconds(7800)), "2 h 10 min");
}

TEST(BarLineTest, NeverWraps) {
  EXPECT_EQ(cut("0123456789", 10), "0123456789");
  EXPECT_EQ(cut("0123456789", 9), "012345...");
  EXPECT_EQ(cut("0123456789", 2), "01");
  EXPECT_EQ(drawn_over("0123456789", 10), "\r012345...\033[K");
  EXPECT_EQ(drawn_over("x", 0), "\r\033[K");
}

TEST(BenchBarTest, ShowsProgressAndTask) {
  EXPECT_EQ(bench_text({"gemm: build on cpu", 0.27, {}}), "[#####...............]  27 %  gemm: build on cpu");
  EXPECT_EQ(bench_text({"gemm", 1, seconds(12)}), "[####################] 100 %  12 s left  gemm");
}

TEST(BenchBarTest, EstimatesTimeLeftOnceReliable) {
  EXPECT_FALSE(time_left(0.5, milliseconds(1900)));
  EXPECT_FALSE(time_left(0.04, seconds(60)));
  EXPECT_EQ(time_left(0.25, seconds(10)), seconds(30));
  EXPECT_EQ(time_left(1, seconds(10)), seconds(0));
}

TEST(BenchBarTest, LimitsRedrawRateAndClearsAtEnd) {
  std::vector<std::string> drawn;
  BenchBar::Clock::time_point now{};
  {
    BenchBar bar([&](const std::string& text) { drawn.push_back(text); }, [] { return 60; }, [&] { return now; });
    bar.show("a", 0.1);
    now += milliseconds(50);
    bar.show("a", 0.2);
    bar.show("b", 0.3);
    now += milliseconds(100);
    bar.show("b", 0.2);
  }
  EXPECT_THAT(drawn, ElementsAre("\r[##..................]  10 %  a\033[K", "\r[######..............]  30 %  b\033[K",
                                 "\r[######..............]  30 %  b\033[K", "\r\033[K"));
}

TEST(BenchBarTest, PrintsNothingIfNothingWasShown) {
  std::vector<std::string> drawn;
  {
    BenchBar bar([&](const std::string& text) { drawn.push_back(text); }, [] { return 60; });
  }
  EXPECT_THAT(drawn, IsEmpty());
}

}  // namespace
}  // namespace kmux::cli
