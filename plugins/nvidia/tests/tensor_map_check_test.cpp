#include <gmock/gmock.h>

#include "map_example.h"
#include "nvidia/launch/tensor_map.h"
#include "written_text.h"

namespace kmux::nvidia {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Returns the message of the check of a map; empty if it is valid.
std::string tiled(const MapExample& map) {
  WrittenText error;
  const int code = check_tiled_map(map.geometry(), map.box, error.sink());
  EXPECT_EQ(code, error.text.empty() ? KMUX_OK : KMUX_INVALID_ARGUMENT);
  return error.text;
}

std::string im2col(const MapExample& map) {
  WrittenText error;
  const int code = check_im2col_map(map.geometry(), map.im2col(), error.sink());
  EXPECT_EQ(code, error.text.empty() ? KMUX_OK : KMUX_INVALID_ARGUMENT);
  return error.text;
}

MapExample interleaved() {
  MapExample map;
  map.rank = 3;
  map.interleave = 2;
  map.swizzle = 1;
  return map;
}

MapExample packed() {
  MapExample map;
  map.dtype = 14;  // 16U4_ALIGN16
  map.dims[0] = 256;
  map.box[0] = 128;
  return map;
}

TEST(TensorMapCheckTest, AcceptsValidMaps) {
  EXPECT_EQ(tiled({}), "");
  EXPECT_EQ(tiled(interleaved()), "");
  EXPECT_EQ(tiled(packed()), "");
  MapExample cube;
  for (cube.rank = 1; cube.rank <= 5; ++cube.rank) EXPECT_EQ(tiled(cube), "") << cube.rank;
  for (cube.rank = 3; cube.rank <= 5; ++cube.rank) EXPECT_EQ(im2col(cube), "") << cube.rank;
}

TEST(TensorMapCheckTest, LimitsInnerBoxSideToSwizzleSpan) {
  const unsigned spans[] = {0, 32, 64, 128, 128, 128, 128};
  for (unsigned swizzle = 0; swizzle < 7; ++swizzle) {
    MapExample map;
    map.swizzle = swizzle;
    map.box[0] = spans[swizzle] > 0 ? spans[swizzle] / 2 : 256;
    EXPECT_EQ(tiled(map), "") << swizzle;
    if (spans[swizzle] == 0) continue;
    map.box[0] += 8;
    EXPECT_THAT(tiled(map), HasSubstr("the swizzle spans " + std::to_string(spans[swizzle]))) << swizzle;
  }
}

TEST(TensorMapCheckTest, ReportsMapNameAndEveryProblem) {
  MapExample map;
  map.rank = 3;
  map.base = reinterpret_cast<void*>(0x1008);
  map.dims[1] = 0;
  map.strides_bytes[0] = 24;
  map.strides_bytes[1] = 1ULL << 40;
  map.box[1] = 257;
  map.element_strides[2] = 9;
  map.dtype = 1;
  map.oob_fill = 1;
  EXPECT_EQ(
      tiled(map),
      "tensor map \"A_desc\" cannot be encoded: the base is 0x1008 (not a multiple of 16 bytes); dimension 1 is 0 "
      "(allowed: 1 to 4294967296); stride 0 is 24 (not a multiple of 16); stride 1 is 1099511627776 (allowed: 0 to "
      "1099511627775); element stride 2 is 9 (allowed: 1 to 8); box side 1 is 257 (allowed: 1 to 256); it fills "
      "with NaN (integers have none). Align or pad the tensor, or pass it without a tensor map.");
}

TEST(TensorMapCheckTest, RejectsNullAddress) {
  MapExample map;
  map.base = nullptr;
  EXPECT_THAT(tiled(map), HasSubstr("the base is null"));
  WrittenText error;
  EXPECT_EQ(check_map_base(map.geometry(), error.sink()), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error.text, HasSubstr("tensor map \"A_desc\" cannot be encoded: the base is null. "));
}

TEST(TensorMapCheckTest, RejectsInvalidRanks) {
  MapExample map;
  for (const unsigned rank : {0U, 6U}) {
    map.rank = rank;
    EXPECT_THAT(tiled(map), HasSubstr("the rank is " + std::to_string(rank) + " (allowed: 1 to 5)"));
  }
  map.rank = 2;
  EXPECT_THAT(im2col(map), HasSubstr("the rank is 2 (allowed: 3 to 5)"));
}

TEST(TensorMapCheckTest, PrintsNegativeDimensionsAsSigned) {
  MapExample map;
  map.dims[0] = static_cast<unsigned long long>(-3);
  map.strides_bytes[0] = static_cast<unsigned long long>(-16);
  EXPECT_THAT(tiled(map), AllOf(HasSubstr("dimension 0 is -3 "), HasSubstr("stride 0 is -16 (allowed: ")));
  map.dims[0] = 1ULL << 32;
  map.strides_bytes[0] = 16;
  EXPECT_EQ(tiled(map), "");
  ++map.dims[0];
  EXPECT_THAT(tiled(map), HasSubstr("dimension 0 is 4294967297"));
}

TEST(TensorMapCheckTest, RequiresInnerBoxSideInWholeUnits) {
  MapExample map;
  map.box[0] = 12;  // 24 bytes
  EXPECT_THAT(tiled(map), HasSubstr("box side 0 has 192 bits (not a multiple of 16 bytes)"));
  map.box[0] = 0;
  EXPECT_THAT(tiled(map), AllOf(HasSubstr("box side 0 is 0 (allowed: 1 to 256)"), Not(HasSubstr("bits"))));
  map = interleaved();
  map.box[0] = 12;
  EXPECT_EQ(tiled(map), "");
}

TEST(TensorMapCheckTest, Requires32ByteAlignmentForInterleavedAndPackedMaps) {
  for (MapExample map : {interleaved(), packed()}) {
    map.base = reinterpret_cast<void*>(0x1010);
    map.strides_bytes[0] = 1040;
    EXPECT_THAT(tiled(map), AllOf(HasSubstr("the base is 0x1010 (not a multiple of 32 bytes)"),
                                  HasSubstr("stride 0 is 1040 (not a multiple of 32)")));
  }
}

TEST(TensorMapCheckTest, RequiresWholeBlocksForPackedTypes) {
  MapExample map = packed();
  map.dims[0] = 192;
  map.box[0] = 64;
  EXPECT_THAT(tiled(map), AllOf(HasSubstr("dimension 0 is 192 (not a multiple of 128)"),
                                HasSubstr("box side 0 is 64 (128 for a packed type)")));
}

TEST(TensorMapCheckTest, RejectsInvalidCombinationsAndUnknownValues) {
  MapExample map = interleaved();
  map.rank = 2;
  map.swizzle = 3;
  EXPECT_THAT(tiled(map), AllOf(HasSubstr("it is interleaved (with rank 3 and more only)"),
                                HasSubstr("interleave 32B is with swizzle number 3")));
  map = {};
  map.oob_fill = 1;
  EXPECT_EQ(tiled(map), "");  // half has a NaN
  map.dtype = 99;
  map.swizzle = 7;
  EXPECT_THAT(tiled(map), AllOf(HasSubstr("the data type is number 99"), HasSubstr("the swizzle is number 7")));
}

TEST(TensorMapCheckTest, LimitsCornersByRank) {
  const int tops[] = {32768, 128, 16};
  for (unsigned rank = 3; rank <= 5; ++rank) {
    MapExample map;
    map.rank = rank;
    const int top = tops[rank - 3];
    map.lower[0] = -top;
    map.upper[0] = top - 1;
    EXPECT_EQ(im2col(map), "") << rank;
    map.lower[0] = -top - 1;
    map.upper[rank - 3] = top;
    EXPECT_THAT(im2col(map),
                AllOf(HasSubstr("lower corner 0 is " + std::to_string(-top - 1)),
                      HasSubstr("upper corner " + std::to_string(rank - 3) + " is " + std::to_string(top))))
        << rank;
  }
}

TEST(TensorMapCheckTest, LimitsChannelsAndPixels) {
  MapExample map;
  map.rank = 4;
  map.channels = 0;
  map.pixels = 1025;
  EXPECT_THAT(im2col(map), AllOf(HasSubstr("the number of channels per pixel is 0 (allowed: 1 to 256)"),
                                 HasSubstr("the number of pixels per column is 1025 (allowed: 1 to 1024)")));
  map.pixels = 1024;
  map.channels = 64;
  map.swizzle = 1;
  EXPECT_THAT(im2col(map), HasSubstr("the number of channels per pixel has 128 bytes (the swizzle spans 32)"));
}

}  // namespace
}  // namespace kmux::nvidia
