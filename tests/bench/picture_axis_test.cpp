#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/src/pictures.h"

namespace kmux::bench {
namespace {

using ::testing::ElementsAre;

TEST(PictureAxisTest, MapsValuesToPixels) {
  const PictureAxis linear(PictureAxis::Scale::kLinear, 0, 10, 100, 300);
  EXPECT_DOUBLE_EQ(linear.pixel(5), 200);
  const PictureAxis log(PictureAxis::Scale::kLog, 1, 100, 300, 100);
  EXPECT_DOUBLE_EQ(log.pixel(10), 200);
}

TEST(PictureAxisTest, HasRoundTicks) {
  EXPECT_THAT(PictureAxis(PictureAxis::Scale::kLinear, 0, 9, 0, 1).ticks(), ElementsAre(0, 2, 4, 6, 8));
  EXPECT_THAT(PictureAxis(PictureAxis::Scale::kLog, 1, 2000, 0, 1).ticks(), ElementsAre(1, 10, 100, 1000));
  EXPECT_THAT(PictureAxis(PictureAxis::Scale::kLog, 0.7, 11, 0, 1).ticks(), ElementsAre(1, 2, 5, 10));
  EXPECT_THAT(PictureAxis(PictureAxis::Scale::kLog, 1.02, 2.1, 0, 1).ticks(), ElementsAre(1.5, 2));
}

TEST(PictureAxisTest, WidensEmptyRange) {
  EXPECT_DOUBLE_EQ(PictureAxis(PictureAxis::Scale::kLinear, 5, 5, 0, 100).pixel(5), 50);
  EXPECT_DOUBLE_EQ(PictureAxis(PictureAxis::Scale::kLog, 8, 8, 0, 100).pixel(8), 50);
}

TEST(PictureAxisTest, FormatsShortTickLabels) {
  EXPECT_EQ(tick_text(0.5), "0.5");
  EXPECT_EQ(tick_text(4096), "4096");
  EXPECT_EQ(tick_text(16384), "16384");
  EXPECT_EQ(tick_text(131072), "131k");
  EXPECT_EQ(tick_text(1048576), "1.05M");
}

TEST(PictureAxisTest, CyclesBackendColors) {
  EXPECT_NE(colour(0), colour(1));
  EXPECT_EQ(colour(0), colour(8));
}

}  // namespace
}  // namespace kmux::bench
