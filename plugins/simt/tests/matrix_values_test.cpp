// The bits of numbers in matrices.
#include "simt/units/matrix_values.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "isa_matrices.h"

namespace kmux::simt {
namespace {

TEST(MatrixValuesTest, DecodesEachNumberOf16Bits) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float f16 = from_f16(static_cast<std::uint16_t>(bits)), bf16 = from_bf16(static_cast<std::uint16_t>(bits));
    if ((bits & 0x7c00) != 0x7c00) {
      ASSERT_EQ(f16, isa::decode(MatrixType::kF16, bits)) << bits;
    }
    if ((bits & 0x7f80) != 0x7f80) {
      ASSERT_EQ(bf16, isa::decode(MatrixType::kBf16, bits)) << bits;
    }
    ASSERT_EQ(std::signbit(f16), bits >= 0x8000);
    ASSERT_EQ(std::isnan(f16), (bits & 0x7fff) > 0x7c00) << bits;
    ASSERT_EQ(std::isinf(f16), (bits & 0x7fff) == 0x7c00) << bits;
    ASSERT_EQ(std::isnan(bf16), (bits & 0x7fff) > 0x7f80) << bits;
  }
}

TEST(MatrixValuesTest, DecodesEachNumberOf8Bits) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const float e4m3 = from_e4m3(static_cast<std::uint8_t>(bits)), e5m2 = from_e5m2(static_cast<std::uint8_t>(bits));
    ASSERT_EQ(std::isnan(e4m3), (bits & 0x7f) == 0x7f) << bits;
    if (!std::isnan(e4m3)) {
      ASSERT_EQ(e4m3, isa::decode(MatrixType::kE4m3, bits)) << bits;
    }
    if ((bits & 0x7c) != 0x7c) {
      ASSERT_EQ(e5m2, isa::decode(MatrixType::kE5m2, bits)) << bits;
    }
    ASSERT_EQ(std::isinf(e5m2), (bits & 0x7f) == 0x7c) << bits;
    ASSERT_EQ(std::isnan(e5m2), (bits & 0x7f) > 0x7c) << bits;
  }
}

TEST(MatrixValuesTest, Tf32HasTenBitsOfMantissa) {
  EXPECT_EQ(from_tf32(0x3f801fff), 1.0F);
  EXPECT_EQ(from_tf32(0x3f802000), 1.0F + 0x1p-10F);
  EXPECT_EQ(from_tf32(0xbf803fff), -1.0F - 0x1p-10F);
}

// Returns `x` rounded to a multiple of the unit that f16 has there.
double rounded_to_f16(double x) {
  if (x == 0) return x;
  const int exponent = std::max(std::ilogb(x) - 10, -24);
  return std::ldexp(std::nearbyint(std::ldexp(x, -exponent)), exponent);
}

TEST(MatrixValuesTest, RoundsToF16ToNearestEven) {
  std::mt19937 random(5);
  for (int i = 0; i < 1000000; ++i) {
    // From far below the least subnormal number to just below infinity, often halfway between two numbers.
    auto bits = static_cast<std::uint32_t>((random() & 0x807fffff) | (96 + random() % 47) << 23);
    if (i % 3 == 0) bits = (bits & ~0xfffU) + (i % 2 == 0 ? 1 : 0);
    const auto x = std::bit_cast<float>(bits);
    const double expected = rounded_to_f16(x);
    const float found = from_f16(to_f16(x));
    if (std::abs(expected) > 65504) {
      ASSERT_EQ(found, std::copysign(std::numeric_limits<float>::infinity(), x)) << x;
    } else {
      ASSERT_EQ(found, expected) << x;
      ASSERT_EQ(std::signbit(found), std::signbit(x));
    }
  }
  EXPECT_EQ(to_f16(std::numeric_limits<float>::infinity()), 0x7c00);
  EXPECT_EQ(to_f16(-std::numeric_limits<float>::quiet_NaN()), 0x7fff);
  EXPECT_EQ(to_f16(-0.0F), 0x8000);
}

TEST(MatrixValuesTest, UnpacksLowestBitsFirst) {
  const std::uint8_t bytes[] = {0x81, 0x7f, 0xf0, 0x0c};
  std::uint32_t numbers[8];
  unpack(MatrixType::kS8, bytes, 4, numbers);
  EXPECT_EQ(numbers[0], static_cast<std::uint32_t>(-127));
  EXPECT_EQ(numbers[3], 12U);
  unpack(MatrixType::kU8, bytes, 4, numbers);
  EXPECT_EQ(numbers[0], 0x81U);
  unpack(MatrixType::kS4, bytes, 4, numbers);
  EXPECT_EQ(numbers[0], 1U);
  EXPECT_EQ(numbers[1], static_cast<std::uint32_t>(-8));
  EXPECT_EQ(numbers[6], static_cast<std::uint32_t>(-4));
  unpack(MatrixType::kU4, bytes, 4, numbers);
  EXPECT_EQ(numbers[1], 8U);
  EXPECT_EQ(numbers[6], 12U);
}

}  // namespace
}  // namespace kmux::simt
