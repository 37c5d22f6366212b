#include "kernel/scalar_convert.h"

#include <array>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr DType kSigned4{kDLInt, 4, 1};
constexpr std::array kIntegers{dtype::kInt8,  dtype::kInt16,  dtype::kInt32,  dtype::kInt64,
                               dtype::kUInt8, dtype::kUInt16, dtype::kUInt32, dtype::kUInt64};

TEST(ScalarConvertTest, AcceptsIntegersInRange) {
  for (const DType type : kIntegers) {
    EXPECT_THAT(scalar_bits(Arg(5), type), Optional(Eq(5u))) << to_string(type);
    EXPECT_THAT(scalar_bits(Arg(5u), type), Optional(Eq(5u))) << to_string(type);
    EXPECT_EQ(scalar_bits(Arg(-1), type).has_value(), type.code == kDLInt) << to_string(type);
  }
  EXPECT_THAT(scalar_bits(Arg(-1), dtype::kInt32), Optional(Eq(0xffffffffu)));
  EXPECT_THAT(scalar_bits(Arg(-128), dtype::kInt8), Optional(Eq(0x80u)));
  EXPECT_THAT(scalar_bits(Arg(-8), kSigned4), Optional(Eq(0x8u)));
}

TEST(ScalarConvertTest, RejectsIntegersOutOfRange) {
  EXPECT_FALSE(scalar_bits(Arg(128), dtype::kInt8));
  EXPECT_FALSE(scalar_bits(Arg(-129), dtype::kInt8));
  EXPECT_FALSE(scalar_bits(Arg(256), dtype::kUInt8));
  EXPECT_FALSE(scalar_bits(Arg(8), kSigned4));
  EXPECT_FALSE(scalar_bits(Arg(std::numeric_limits<std::uint64_t>::max()), dtype::kInt64));
  EXPECT_TRUE(scalar_bits(Arg(std::numeric_limits<std::uint64_t>::max()), dtype::kUInt64));
  EXPECT_TRUE(scalar_bits(Arg(std::numeric_limits<std::int64_t>::min()), dtype::kInt64));
}

TEST(ScalarConvertTest, ConvertsBooleans) {
  EXPECT_THAT(scalar_bits(Arg(true), dtype::kBool), Optional(Eq(1u)));
  EXPECT_THAT(scalar_bits(Arg(0), dtype::kBool), Optional(Eq(0u)));
  EXPECT_FALSE(scalar_bits(Arg(2), dtype::kBool));
  EXPECT_FALSE(scalar_bits(Arg(1.0), dtype::kBool));
  EXPECT_THAT(scalar_bits(Arg(true), dtype::kInt32), Optional(Eq(1u)));
}

TEST(ScalarConvertTest, RoundsFloats) {
  EXPECT_THAT(scalar_bits(Arg(1.5), dtype::kFloat64), Optional(Eq(0x3ff8000000000000u)));
  EXPECT_THAT(scalar_bits(Arg(1.5f), dtype::kFloat32), Optional(Eq(0x3fc00000u)));
  EXPECT_THAT(scalar_bits(Arg(0.1), dtype::kFloat16), Optional(Eq(0x2e66u)));
  EXPECT_THAT(scalar_bits(Arg(0.1), dtype::kBFloat16), Optional(Eq(0x3dcdu)));
  EXPECT_THAT(scalar_bits(Arg(448.0), dtype::kFloat8E4M3FN), Optional(Eq(0x7eu)));
  EXPECT_FALSE(scalar_bits(Arg(1.0), dtype::kInt32));
}

TEST(ScalarConvertTest, AcceptsIntegersAsFloatsOnlyIfExact) {
  EXPECT_THAT(scalar_bits(Arg(2048), dtype::kFloat16), Optional(Eq(0x6800u)));
  EXPECT_FALSE(scalar_bits(Arg(2049), dtype::kFloat16));
  EXPECT_FALSE(scalar_bits(Arg((std::int64_t{1} << 53) + 1), dtype::kFloat64));
  EXPECT_FALSE(scalar_bits(Arg(std::numeric_limits<std::uint64_t>::max()), dtype::kFloat32));
  EXPECT_THAT(scalar_bits(Arg(-2), dtype::kFloat32), Optional(Eq(0xc0000000u)));
  EXPECT_THAT(scalar_bits(Arg(std::numeric_limits<std::int64_t>::min()), dtype::kFloat32), Optional(Eq(0xdf000000u)));
}

TEST(ScalarConvertTest, AcceptsBitsOfExactTypeOnly) {
  EXPECT_THAT(scalar_bits(Arg::bits(dtype::kFloat16, 0x3c01), dtype::kFloat16), Optional(Eq(0x3c01u)));
  EXPECT_FALSE(scalar_bits(Arg::bits(dtype::kFloat16, 0x3c01), dtype::kBFloat16));
  EXPECT_FALSE(scalar_bits(Arg::bits(dtype::kInt8, 0x100), dtype::kInt8));
  EXPECT_FALSE(scalar_bits(Arg::bits(dtype::kBool, 2), dtype::kBool));
}

TEST(ScalarConvertTest, RejectsNonNumbersAndUnsupportedTypes) {
  EXPECT_FALSE(scalar_bits(Arg(nullptr), dtype::kInt32));
  EXPECT_FALSE(scalar_bits(Arg::pointer(nullptr), dtype::kInt64));
  EXPECT_FALSE(scalar_bits(Arg(1.0), DType{kDLFloat8_e8m0fnu, 8, 1}));
  EXPECT_FALSE(scalar_bits(Arg(1), DType{kDLInt, 32, 2}));
}

TEST(ScalarConvertTest, ReadsIntegersFromBits) {
  EXPECT_THAT(integer_of(0xffffffff, dtype::kInt32), Optional(Eq(-1)));
  EXPECT_THAT(integer_of(0xffffffff, dtype::kUInt32), Optional(Eq(0xffffffffLL)));
  EXPECT_THAT(integer_of(0x8, kSigned4), Optional(Eq(-8)));
  EXPECT_THAT(integer_of(1, dtype::kBool), Optional(Eq(1)));
  EXPECT_FALSE(integer_of(~std::uint64_t{0}, dtype::kUInt64));
}

TEST(ScalarConvertTest, DescribesArguments) {
  EXPECT_EQ(describe(Arg(-3)), "the integer -3");
  EXPECT_EQ(describe(Arg(1.5)), "the number 1.5");
  EXPECT_EQ(describe(Arg(true)), "true");
  EXPECT_EQ(describe(Arg(nullptr)), "a null tensor");
  EXPECT_EQ(describe(Arg::bits(dtype::kFloat16, 0x3c00)), "the bits 0x3c00 of a float16");
  EXPECT_THAT(describe(Arg(Tensor::zeros({2, 3}, dtype::kFloat32).value())), HasSubstr("float32[2, 3]"));
}

}  // namespace
}  // namespace kmux
