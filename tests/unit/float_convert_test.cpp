#include "ir/float_convert.h"

#include <bit>
#include <cmath>

#include <gtest/gtest.h>

namespace kmux {
namespace {

const std::vector<DType> kSmall{dtype::kFloat16,        dtype::kBFloat16,   dtype::kFloat8E4M3,    dtype::kFloat8E4M3FN,
                                dtype::kFloat8E4M3FNUZ, dtype::kFloat8E5M2, dtype::kFloat8E5M2FNUZ};

TEST(FloatConvertTest, RoundTripsEveryBitPattern) {
  for (const DType type : kSmall) {
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << type.bits); ++bits) {
      const double value = bits_to_float(type, bits);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(bits_to_float(type, float_to_bits(type, value))));
      } else {
        ASSERT_EQ(float_to_bits(type, value), bits) << to_string(type) << " " << value;
      }
    }
  }
}

/// Halfway between two neighbours, the even pattern is chosen; slightly to either side, the nearer one.
TEST(FloatConvertTest, RoundsToNearestEven) {
  for (const DType type : kSmall) {
    for (std::uint64_t bits = 0; bits + 1 < (std::uint64_t{1} << (type.bits - 1)); ++bits) {
      const double low = bits_to_float(type, bits);
      const double high = bits_to_float(type, bits + 1);
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const double middle = low + (high - low) / 2;
      ASSERT_EQ(float_to_bits(type, middle), bits % 2 == 0 ? bits : bits + 1) << to_string(type) << " " << low;
      ASSERT_EQ(float_to_bits(type, std::nextafter(middle, low)), bits);
      ASSERT_EQ(float_to_bits(type, std::nextafter(middle, high)), bits + 1);
    }
  }
}

TEST(FloatConvertTest, DecodesLargestValues) {
  EXPECT_EQ(bits_to_float(dtype::kFloat16, 0x7bff), 65504);
  EXPECT_EQ(bits_to_float(dtype::kFloat8E4M3FN, 0x7e), 448);
  EXPECT_EQ(bits_to_float(dtype::kFloat8E4M3, 0x77), 240);
  EXPECT_EQ(bits_to_float(dtype::kFloat8E4M3FNUZ, 0x7f), 240);
  EXPECT_EQ(bits_to_float(dtype::kFloat8E5M2, 0x7b), 57344);
  EXPECT_EQ(bits_to_float(dtype::kFloat8E5M2FNUZ, 0x7f), 57344);
}

TEST(FloatConvertTest, OverflowsToInfinityOrNan) {
  EXPECT_TRUE(std::isinf(bits_to_float(dtype::kFloat16, float_to_bits(dtype::kFloat16, 1e6))));
  EXPECT_TRUE(std::isinf(bits_to_float(dtype::kFloat8E5M2, float_to_bits(dtype::kFloat8E5M2, -1e6))));
  EXPECT_TRUE(std::isnan(bits_to_float(dtype::kFloat8E4M3FN, float_to_bits(dtype::kFloat8E4M3FN, 1e6))));
  EXPECT_TRUE(std::isnan(bits_to_float(dtype::kFloat8E5M2FNUZ, float_to_bits(dtype::kFloat8E5M2FNUZ, 1e6))));
}

TEST(FloatConvertTest, MatchesNativeFloat) {
  for (const double value : {0.1, -3.14159, 1e-40, 1e-46, 3.4e38, 1e39, 16777217.0}) {
    const std::uint64_t bits = float_to_bits(dtype::kFloat32, value);
    EXPECT_EQ(bits, std::bit_cast<std::uint32_t>(static_cast<float>(value))) << value;
    EXPECT_EQ(bits_to_float(dtype::kFloat32, bits), static_cast<double>(static_cast<float>(value)));
    EXPECT_EQ(bits_to_float(dtype::kFloat64, float_to_bits(dtype::kFloat64, value)), value);
  }
}

TEST(FloatConvertTest, KeepsSignOfZeroWhereRepresentable) {
  EXPECT_EQ(float_to_bits(dtype::kFloat16, -0.0), 0x8000u);
  EXPECT_EQ(float_to_bits(dtype::kFloat8E4M3FNUZ, -0.0), 0u);
  EXPECT_EQ(float_to_bits(dtype::kFloat8E4M3FNUZ, -1e-9), 0u);
}

}  // namespace
}  // namespace kmux
