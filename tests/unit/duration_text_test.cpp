// SPDX-License-Identifier: Apache-2.0
#include "base/duration_text.h"

#include <gtest/gtest.h>

namespace kmux {
namespace {

TEST(DurationTextTest, HasThreeDigitsInSuitableUnit) {
  EXPECT_EQ(duration_text(0.5), "0.50 ns");
  EXPECT_EQ(duration_text(812), "812 ns");
  EXPECT_EQ(duration_text(8612650), "8.61 ms");
  EXPECT_EQ(duration_text(14670), "14.7 us");
  EXPECT_EQ(duration_text(1.2e9), "1.20 s");
  EXPECT_EQ(duration_text(5e12), "5000 s");
}

TEST(DurationTextTest, RoundsIntoNextUnit) {
  EXPECT_EQ(duration_text(999.4), "999 ns");
  EXPECT_EQ(duration_text(999.7), "1.00 us");
  EXPECT_EQ(three_digits(9.996), "10.0");
}

}  // namespace
}  // namespace kmux
