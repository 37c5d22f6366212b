#include "kmux/bench/figure.h"

#include <gtest/gtest.h>

namespace kmux::bench {
namespace {

TEST(FigureTest, HasThreeDigitsAndFittingUnit) {
  EXPECT_EQ(figure(Column::kDeviceHot, 0.812), "812 ns");
  EXPECT_EQ(figure(Column::kDeviceHot, 0.0061), "6.10 ns");
  EXPECT_EQ(figure(Column::kDeviceHot, 5700), "5.70 ms");
  EXPECT_EQ(figure(Column::kBuild, 1234567), "1.23 s");
  EXPECT_EQ(figure(Column::kBytesRate, 4123), "4.12 TB/s");
  EXPECT_EQ(figure(Column::kRegisters, 34), "34 registers");
  EXPECT_EQ(figure(Column::kLocalMemory, 0), "0 bytes");
  EXPECT_EQ(figure(Column::kSharedMemory, 49152), "48.0 KiB");
  EXPECT_EQ(figure(Column::kOccupancy, 75), "75.0 %");
  EXPECT_EQ(figure(Column::kThroughput, 25600), "25.6 kcalls/s");
  EXPECT_EQ(figure(Column::kFlopRate, 0.5), "500 MFLOP/s");
  EXPECT_EQ(figure(Column::kPeakMemory, 2048), "2.00 GiB");
  EXPECT_EQ(figure(Column::kArtifactSize, 12.34), "12.3 KiB");
}

TEST(FigureTest, SpreadIsHalfIntervalOrItsEnds) {
  EXPECT_EQ(spread(Column::kBuild, {100, 99, 101}), "+-1.00 %");
  EXPECT_EQ(spread(Column::kBuild, {100, 90, 4000}), "90.0 us to 4.00 ms");
  EXPECT_EQ(spread(Column::kBuild, {100, 100, 100}), "");
}

TEST(FigureTest, RatioStatesFasterOrSlower) {
  EXPECT_EQ(ratio_text({0.8, 0.78, 0.82}), "1.25x faster");
  EXPECT_EQ(ratio_spread({0.8, 0.78, 0.82}), "1.22 to 1.28");
  EXPECT_EQ(ratio_text({1.25, 1.2, 1.3}), "1.25x slower");
  EXPECT_EQ(ratio_spread({1.25, 1.2, 1.3}), "1.20 to 1.30");
}

}  // namespace
}  // namespace kmux::bench
