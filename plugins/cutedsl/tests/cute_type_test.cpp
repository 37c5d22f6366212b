#include <gtest/gtest.h>

#include "parameter.h"

namespace kmux::cutedsl {
namespace {

TEST(CuteTypeTest, MapsSupportedTypes) {
  EXPECT_EQ(cute_type(dtype::kFloat16), "Float16");
  EXPECT_EQ(cute_type(dtype::kBFloat16), "BFloat16");
  EXPECT_EQ(cute_type(dtype::kFloat32), "Float32");
  EXPECT_EQ(cute_type(dtype::kFloat64), "Float64");
  EXPECT_EQ(cute_type(dtype::kInt8), "Int8");
  EXPECT_EQ(cute_type(dtype::kUInt16), "Uint16");
  EXPECT_EQ(cute_type(dtype::kUInt32), "Uint32");
  EXPECT_EQ(cute_type(dtype::kInt64), "Int64");
  EXPECT_EQ(cute_type(dtype::kBool), "Boolean");
  EXPECT_EQ(cute_type(dtype::kFloat8E5M2), "Float8E5M2");
}

TEST(CuteTypeTest, MapsE4M3SpellingsToOneType) {
  for (const DType type : {dtype::kFloat8E4M3, dtype::kFloat8E4M3FN}) {
    EXPECT_EQ(cute_type(type), "Float8E4M3FN") << to_string(type);
  }
}

TEST(CuteTypeTest, HasNoTypeForE4M3Fnuz) { EXPECT_FALSE(cute_type(dtype::kFloat8E4M3FNUZ)); }

TEST(CuteTypeTest, HasNoTypeForInt4OrVectors) {
  EXPECT_FALSE(cute_type(parse_dtype("int4").value()));
  EXPECT_FALSE(cute_type(parse_dtype("float16x4").value()));
}

}  // namespace
}  // namespace kmux::cutedsl
