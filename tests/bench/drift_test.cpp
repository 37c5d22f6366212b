#include <vector>

#include <gtest/gtest.h>

#include "kmux/bench/sampling.h"

namespace kmux::bench {
namespace {

TEST(DriftTest, ComparesLastThirdWithFirst) {
  std::vector<double> series;
  for (int i = 0; i < 30; ++i) series.push_back(i < 15 ? 100 : 110);
  EXPECT_NEAR(drift_of(series), 0.1, 1e-12);
  EXPECT_EQ(drift_of(std::vector<double>(30, 100)), 0);
}

TEST(DriftTest, IgnoresSpikes) {
  std::vector<double> series(30, 100);
  series[2] = series[28] = 5000;
  EXPECT_EQ(drift_of(series), 0);
}

TEST(DriftTest, IgnoresChangesWithinNoise) {
  std::vector<double> series(12, 100);
  series[1] = 130;
  for (std::size_t i = 8; i < 12; ++i) series[i] = 120;
  EXPECT_EQ(drift_of(series), 0) << "one of the first was as slow";
  series[1] = 110;
  EXPECT_NEAR(drift_of(series), 0.2, 1e-12);
}

TEST(DriftTest, IsZeroForFewSamples) { EXPECT_EQ(drift_of(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}), 0); }

TEST(DriftTest, CombinesSeriesByGeometricMean) {
  std::vector<double> falling(30, 400);
  std::vector<double> rising(30, 1);
  for (std::size_t i = 15; i < 30; ++i) rising[i] = 1.21;
  EXPECT_NEAR(common_drift({rising}), 0.21, 1e-12);
  EXPECT_NEAR(common_drift({rising, std::vector<double>(30, 400)}), 0.1, 1e-12);
  for (std::size_t i = 15; i < 30; ++i) falling[i] = 400 / 1.21;
  EXPECT_NEAR(common_drift({rising, falling}), 0, 1e-12);
  EXPECT_EQ(common_drift({}), 0);
}

TEST(DriftTest, ReferenceLoopTakesTime) { EXPECT_GT(time_reference_loop(), 0); }

}  // namespace
}  // namespace kmux::bench
