#include "kmux/dtype.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using ::testing::HasSubstr;

TEST(DTypeTest, RoundTripsEveryDlpackType) {
  for (int code = 0; code < 256; ++code) {
    for (int bits = 0; bits < 256; ++bits) {
      for (const int lanes : {0, 1, 2, 4, 65535}) {
        const DType type{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits),
                         static_cast<std::uint16_t>(lanes)};
        const auto again = parse_dtype(to_string(type));
        ASSERT_TRUE(again) << to_string(type);
        ASSERT_EQ(*again, type) << to_string(type);
      }
    }
  }
}

TEST(DTypeTest, PrintsStandardNames) {
  EXPECT_EQ(to_string(dtype::kFloat32), "float32");
  EXPECT_EQ(to_string(dtype::kBFloat16), "bfloat16");
  EXPECT_EQ(to_string(dtype::kBool), "bool");
  EXPECT_EQ(to_string(dtype::kFloat8E4M3FN), "float8_e4m3fn");
  EXPECT_EQ(to_string(DType{kDLInt, 4, 1}), "int4");
  EXPECT_EQ(to_string(DType{kDLFloat, 16, 4}), "float16x4");
  EXPECT_EQ(to_string(DType{kDLInt, 7, 1}), "dtype_0_7");
}

TEST(DTypeTest, ParsesShortSpellings) {
  EXPECT_EQ(*parse_dtype("fp16"), dtype::kFloat16);
  EXPECT_EQ(*parse_dtype("half"), dtype::kFloat16);
  EXPECT_EQ(*parse_dtype("f32"), dtype::kFloat32);
  EXPECT_EQ(*parse_dtype("float"), dtype::kFloat32);
  EXPECT_EQ(*parse_dtype("bf16"), dtype::kBFloat16);
  EXPECT_EQ(*parse_dtype("i64"), dtype::kInt64);
  EXPECT_EQ(*parse_dtype("u8"), dtype::kUInt8);
  EXPECT_EQ(*parse_dtype("fp8_e4m3"), dtype::kFloat8E4M3);
  EXPECT_EQ(*parse_dtype("e5m2_float8"), dtype::kFloat8E5M2);
  EXPECT_EQ(*parse_dtype("f16x2"), (DType{kDLFloat, 16, 2}));
}

TEST(DTypeTest, RejectsInvalidNames) {
  for (const std::string text : {"", "float33", "flaot32", "float32x", "float32x-1", "float32x70000", "x4", "int32 ",
                                 "Float32", "dtype_0", "dtype_0_300", "dtype__8"}) {
    const auto result = parse_dtype(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(result.error().message, HasSubstr("\"" + text + "\""));
    EXPECT_THAT(result.error().message, HasSubstr("float8_e4m3fn"));
  }
}

TEST(DTypeTest, CountsPackedBytes) {
  EXPECT_EQ(packed_bytes(DType{kDLInt, 4, 1}, 3), 2);
  EXPECT_EQ(packed_bytes(DType{kDLFloat, 16, 4}, 3), 24);
  EXPECT_EQ(packed_bytes(dtype::kFloat32, 0), 0);
}

TEST(DTypeTest, DistinguishesKinds) {
  EXPECT_TRUE(is_integer(dtype::kUInt8) && is_integer(dtype::kInt64));
  EXPECT_FALSE(is_integer(dtype::kBool) || is_integer(dtype::kFloat32));
  EXPECT_TRUE(is_float(dtype::kBFloat16) && is_float(dtype::kFloat8E5M2) && is_float(DType{kDLFloat4_e2m1fn, 4, 1}));
  EXPECT_FALSE(is_float(dtype::kInt32) || is_float(DType{kDLComplex, 64, 1}));
  EXPECT_TRUE(is_bool(dtype::kBool));
}

TEST(DTypeTest, AcceptsCompatibleTypes) {
  EXPECT_TRUE(is_compatible(dtype::kFloat32, dtype::kFloat32));
  EXPECT_TRUE(is_compatible(dtype::kBool, dtype::kInt8));
  EXPECT_TRUE(is_compatible(dtype::kUInt8, dtype::kBool));
  EXPECT_TRUE(is_compatible(dtype::kFloat8E4M3, dtype::kFloat8E4M3FN));
  EXPECT_TRUE(is_compatible(dtype::kFloat8E4M3FNUZ, dtype::kFloat8E4M3));
  EXPECT_TRUE(is_compatible(dtype::kFloat8E4M3FN, dtype::kFloat8E4M3FNUZ));  // the bits, see docs/dispatch-ir.md
  EXPECT_TRUE(is_compatible(dtype::kFloat8E5M2, dtype::kFloat8E5M2FNUZ));
  EXPECT_TRUE(is_compatible(DType{kDLInt, 4, 1}, DType{kDLUInt, 4, 1}));
}

TEST(DTypeTest, RejectsIncompatibleTypes) {
  EXPECT_FALSE(is_compatible(dtype::kInt8, dtype::kUInt8));
  EXPECT_FALSE(is_compatible(dtype::kFloat16, dtype::kBFloat16));
  EXPECT_FALSE(is_compatible(dtype::kFloat8E4M3, dtype::kFloat8E5M2));
  EXPECT_FALSE(is_compatible(dtype::kBool, dtype::kInt16));
  EXPECT_FALSE(is_compatible(dtype::kBool, DType{kDLInt, 8, 2}));
  EXPECT_FALSE(is_compatible(DType{kDLInt, 4, 1}, DType{kDLInt, 2, 1}));
}

}  // namespace
}  // namespace kmux
