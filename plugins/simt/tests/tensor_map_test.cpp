#include "simt/units/tensor_map.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/tensor_map_check.h"

#include "simt/units/tensor_fields.h"
#include "tensor_example.h"

namespace kmux::simt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

char memory[64] __attribute__((aligned(64)));

MapExample matrix() {
  return {.dims = {64, 5}, .strides = {256}, .box = {8, 4}, .steps = {1, 2, 1, 1, 1}, .swizzle = 1};
}
MapExample image() {
  return {.dims = {8, 6, 5, 2}, .strides = {32, 192, 960}, .box = {8, 20}, .lower = {-1, -2}, .upper = {1, 0}};
}

std::string error_of(const MapExample& example, int code) {
  kmux_tensor_map map = {};
  std::string error;
  EXPECT_EQ(example.encode(map, memory, error), code);
  return error;
}

TEST(TensorMapTest, KeepsTiledGeometry) {
  const kmux_tensor_map map = matrix().encoded(memory);
  const EncodedMap& read = read_map(&map, 2);
  EXPECT_EQ(read.base, memory);
  EXPECT_THAT(read.last, ElementsAre(63, 4, 0, 0, 0));
  EXPECT_THAT(read.strides, ElementsAre(256, 0, 0, 0));
  EXPECT_THAT(read.box, ElementsAre(8, 4, 0, 0, 0));
  EXPECT_THAT(read.steps, ElementsAre(1, 2, 0, 0, 0));
  EXPECT_FALSE(read.is_im2col);
}

TEST(TensorMapTest, KeepsIm2colCorners) {
  const kmux_tensor_map map = image().encoded(memory);
  const EncodedMap& read = read_map(&map, 4);
  EXPECT_THAT(read.lower_corner, ElementsAre(-1, -2, 0));
  EXPECT_THAT(read.upper_corner, ElementsAre(1, 0, 0));
  EXPECT_TRUE(read.is_im2col);
}

TEST(TensorMapTest, KeepsLargestExtent) {
  MapExample example = matrix();
  example.dims[1] = 1ULL << 32;
  const kmux_tensor_map map = example.encoded(memory);
  EXPECT_EQ(read_map(&map, 2).last[1], 0xffffffffU);
}

// The words are those of a launcher for a GPU.
TEST(TensorMapTest, ReportsEachConstraintAsLaunchersForGpus) {
  MapExample example = matrix();
  example.box[0] = 6;
  example.strides[0] = 100;
  EXPECT_EQ(error_of(example, KMUX_INVALID_ARGUMENT),
            "tensor map \"A\" cannot be encoded: stride 0 is 100 (not a multiple of 16); box side 0 has 192 bits (not "
            "a multiple of 16 bytes). Align or pad the tensor, or pass it without a tensor map.");
  example = image();
  example.lower[0] = -200;
  EXPECT_THAT(error_of(example, KMUX_INVALID_ARGUMENT), HasSubstr("lower corner 0 is -200 (allowed: -128 to 127)"));
}

TEST(TensorMapTest, MapsWithoutCopiesAreUnsupported) {
  MapExample example = image();
  example.lower.clear();
  example.box = {8, 1, 1, 1};
  example.interleave = 1;
  EXPECT_THAT(error_of(example, KMUX_UNSUPPORTED), HasSubstr("has interleaved channels (backend cpu copies none)"));
  example = matrix();
  example.swizzle = 4;
  EXPECT_THAT(error_of(example, KMUX_UNSUPPORTED), HasSubstr("a swizzle of atoms other than 16 bytes"));
  example = matrix();
  example.dtype = 13;
  example.box[0] = 32;
  EXPECT_THAT(error_of(example, KMUX_UNSUPPORTED), HasSubstr("elements that are not whole bytes"));
}

TEST(TensorMapTest, EmptyMapIsErrorOfLaunchesThatPassIt) {
  MapExample example = matrix();
  example.dims[1] = 0;
  const kmux_tensor_map empty = example.encoded(memory);
  std::string error;
  EXPECT_EQ(kmux_cpu_check_map(&empty, "k", append_to(error)), KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(error,
            "tensor map \"A\" has no elements (dim 1 is 0), but \"k\" is launched. Launch an empty grid for an empty "
            "tensor, or pass one that is not.");
  const kmux_tensor_map map = matrix().encoded(memory);
  EXPECT_EQ(kmux_cpu_check_map(&map, "k", append_to(error)), KMUX_OK);
  EXPECT_THAT(failure_of([&] { read_map(&empty, 2); }), HasSubstr("is invalid"));
}

TEST(TensorMapTest, WrongMapsAreDetected) {
  const kmux_tensor_map map = matrix().encoded(memory);
  const kmux_tensor_map zeros = {};
  EXPECT_THAT(failure_of([&] { read_map(nullptr, 2); }), HasSubstr("is missing"));
  EXPECT_THAT(failure_of([&] { read_map(map.bytes + 8, 2); }), HasSubstr("is not aligned"));
  EXPECT_THAT(failure_of([&] { read_map(&zeros, 2); }), HasSubstr("is invalid"));
  EXPECT_THAT(failure_of([&] { read_map(&map, 3); }), HasSubstr("has rank 2 (the instruction has 3 coordinates)"));
}

// As code that builds its maps itself does.
TEST(TensorMapTest, ReplacedFieldsOfZerosMakeAMap) {
  const kmux_tensor_map encoded = matrix().encoded(memory);
  kmux_tensor_map map = {};
  const auto replace = [&](TensorField field, unsigned dimension, std::uint64_t value) {
    replace_field(&map, field, dimension, value);
  };
  replace(TensorField::kGlobalAddress, 0, reinterpret_cast<std::uintptr_t>(memory));
  replace(TensorField::kRank, 0, 1);
  replace(TensorField::kBoxDim, 0, 8);
  replace(TensorField::kBoxDim, 1, 4);
  replace(TensorField::kGlobalDim, 0, 64);
  replace(TensorField::kGlobalDim, 1, 5);
  replace(TensorField::kGlobalStride, 0, 256);
  replace(TensorField::kElementStride, 0, 1);
  replace(TensorField::kElementStride, 1, 2);
  replace(TensorField::kElementType, 0, 3);
  replace(TensorField::kInterleaveLayout, 0, 0);
  replace(TensorField::kSwizzleMode, 0, 1);
  replace(TensorField::kFillMode, 0, 0);
  EXPECT_EQ(std::memcmp(&map, &encoded, sizeof map), 0);
}

TEST(TensorMapTest, ReplacedTypesAreThoseOfPtx) {
  constexpr unsigned kByPtx[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12};
  kmux_tensor_map map = matrix().encoded(memory);
  for (unsigned i = 0; i < std::size(kByPtx); ++i) {
    replace_field(&map, TensorField::kElementType, 0, i);
    EXPECT_EQ(read_map(&map, 2).dtype, kByPtx[i]);
  }
}

TEST(TensorMapTest, InvalidReplacementsFail) {
  kmux_tensor_map map = matrix().encoded(memory);
  const auto failure = [&](TensorField field, unsigned dimension, std::uint64_t value) {
    return failure_of([&] { replace_field(&map, field, dimension, value); });
  };
  EXPECT_THAT(failure(TensorField::kBoxDim, 1, 257), HasSubstr("sets box_dim of dimension 1 to 257 (which copies"));
  EXPECT_THAT(failure(TensorField::kGlobalStride, 0, 100), HasSubstr("sets global_stride of dimension 0 to 100"));
  EXPECT_THAT(failure(TensorField::kGlobalStride, 4, 64), HasSubstr("of dimension 4"));
  EXPECT_THAT(failure(TensorField::kInterleaveLayout, 0, 1), HasSubstr("sets interleave_layout to 1"));
  map.bytes[0] = 1;
  EXPECT_THAT(failure(TensorField::kRank, 0, 1), HasSubstr("changes bytes that are not a tensor map"));
  map = {};
  EXPECT_EQ(failure(TensorField::kRank, 0, 1), "");
  EXPECT_THAT(failure_of([&] { read_map(&map, 2); }), HasSubstr("is incomplete"));
}

}  // namespace
}  // namespace kmux::simt
