#include "unit/validate_cases.h"

namespace kmux {
namespace {

using testing::IsEmpty;

const std::string kMap = "/variants/0/body/tensor_maps/0/";

TensorMap& map_of(Program& program) { return program.variants[0].body.tensor_maps[0]; }
TiledMap& tiled(Program& program) { return std::get<TiledMap>(map_of(program).mode); }
std::function<void(Program&)> change(const std::function<void(TensorMap&)>& of) {
  return [of](Program& program) { of(map_of(program)); };
}

TEST(ValidateTensorMapTest, ChecksNamesAndBase) {
  expect_problems({
      {change([](TensorMap& map) { map.base.name = "AA"; }), kMap + "base/name", "no \"AA\" in scope"},
      {change([](TensorMap& map) { map.base.name = "bias"; }), kMap + "base/name", "nullable"},
      {change([](TensorMap& map) { map.base.offset_bytes = 8; }), kMap + "base/offset_bytes", "not a multiple of 16"},
      {change([](TensorMap& map) { map.dims[0] = Expr::symbol("i"); }), kMap + "dims/0", "no \"i\" in scope"},
      {[](Program& p) { p.variants[0].body.tensor_maps.push_back(map_of(p)); }, "/variants/0/body/tensor_maps/1/name",
       "\"A_desc\" is taken (a tensor map"},
  });
}

TEST(ValidateTensorMapTest, AcceptsWorkspaceAsBase) {
  Program program = sample_program();
  map_of(program).base = {"partial", 32};
  EXPECT_THAT(validate(program), IsEmpty());
}

TEST(ValidateTensorMapTest, ChecksDimensionsAndStrides) {
  expect_problems({
      {change([](TensorMap& map) { map.dims[1] = 0; }), kMap + "dims/1",
       "the dimension is 0 (allowed: 1 to 4294967296)"},
      {change([](TensorMap& map) { map.strides_bytes = {}; }), kMap + "strides_bytes",
       "0 strides for rank 2 (1 expected)"},
      {change([](TensorMap& map) { map.strides_bytes = {24}; }), kMap + "strides_bytes/0", "24 (not a multiple of 16)"},
      {change([](TensorMap& map) { map.strides_bytes = {-16}; }), kMap + "strides_bytes/0", "the stride is -16"},
      {change([](TensorMap& map) { map.strides_bytes = {Expr(1) << 40}; }), kMap + "strides_bytes/0", "allowed"},
      {change([](TensorMap& map) { map.element_strides = {1}; }), kMap + "element_strides", "(2 expected)"},
      {change([](TensorMap& map) { map.element_strides = {1, 9}; }), kMap + "element_strides/1", "(allowed: 1 to 8)"},
  });
}

TEST(ValidateTensorMapTest, ChecksTiles) {
  expect_problems({
      {[](Program& p) { tiled(p).box = {64}; }, kMap + "tiled/box", "1 box sides for rank 2"},
      {[](Program& p) { tiled(p).box = {64, 257}; }, kMap + "tiled/box/1", "(allowed: 1 to 256)"},
      {[](Program& p) { tiled(p).box = {4, 1}; }, kMap + "tiled/box/0", "bits is 64 (not a multiple of 128)"},
      {[](Program& p) { tiled(p).box = {128, 1}; }, kMap + "tiled/box/0", "256 bytes (the swizzle spans 128)"},
      {change([](TensorMap& map) { map.dims.clear(), map.strides_bytes.clear(), map.mode = TiledMap{}; }),
       kMap + "dims", "the rank of a tiled map is 0 (allowed: 1 to 5)"},
  });
}

TEST(ValidateTensorMapTest, ChecksPackedTypes) {
  expect_problems({
      {change([](TensorMap& map) {
         map.dtype = TensorMapDType::kU4Align16, map.dims[0] = 64, map.mode = TiledMap{{128, 1}};
       }),
       kMap + "dims/0", "the innermost dimension is 64 (not a multiple of 128)"},
      {change([](TensorMap& map) { map.dtype = TensorMapDType::kU6Align16; }), kMap + "tiled/box/0",
       "(allowed: 128 to 128)"},
      {change([](TensorMap& map) {
         map.dtype = TensorMapDType::kU4Align16, map.strides_bytes = {16}, map.mode = TiledMap{{128, 1}};
       }),
       kMap + "strides_bytes/0", "not a multiple of 32"},
  });
}

TEST(ValidateTensorMapTest, ChecksCombinations) {
  expect_problems({
      {change([](TensorMap& map) { map.interleave = Interleave::k16B; }), kMap + "interleave", "at least 3 dimensions"},
      {change([](TensorMap& map) {
         map.interleave = Interleave::k32B;
         map.dims = {64, 64, 64}, map.strides_bytes = {128, 128}, map.mode = TiledMap{{64, 1, 1}};
       }),
       kMap + "swizzle", "goes with swizzle \"32b\" only"},
      {change([](TensorMap& map) {
         map.dtype = TensorMapDType::kInt32, map.oob_fill = OobFill::kNan, map.mode = TiledMap{{32, 1}};
       }),
       kMap + "oob_fill", "no NaN"},
  });
}

// The driver of an H200 accepts it, and CUTLASS passes it for a batch of one.
TEST(ValidateTensorMapTest, StrideMayBeZero) {
  Program program = sample_program();
  change([](TensorMap& map) { map.strides_bytes = {0}; })(program);
  EXPECT_TRUE(check_valid(program).ok());
}

// Turns `map` into a valid im2col map of rank 4.
void make_im2col(TensorMap& map) {
  map.dims = {64, 32, 32, 8};
  map.strides_bytes = {128, 4096, 131072};
  map.mode = Im2colMap{{-1, -1}, {0, 0}, 64, 128};
}

TEST(ValidateTensorMapTest, ChecksIm2col) {
  const auto im2col = [](const std::function<void(TensorMap&, Im2colMap&)>& of) {
    return change([of](TensorMap& map) {
      make_im2col(map);
      of(map, std::get<Im2colMap>(map.mode));
    });
  };
  Program valid = sample_program();
  make_im2col(map_of(valid));
  EXPECT_THAT(validate(valid), IsEmpty());
  expect_problems({
      {im2col([](TensorMap&, Im2colMap& mode) { mode.lower_corner = {0}; }), kMap + "im2col/lower_corner",
       "1 lower corner values for rank 4 (2 expected)"},
      {im2col([](TensorMap&, Im2colMap& mode) { mode.upper_corner[1] = 128; }), kMap + "im2col/upper_corner/1",
       "(allowed: -128 to 127)"},
      {im2col([](TensorMap&, Im2colMap& mode) { mode.channels_per_pixel = 0; }), kMap + "im2col/channels_per_pixel",
       "(allowed: 1 to 256)"},
      {im2col([](TensorMap&, Im2colMap& mode) { mode.pixels_per_column = 1025; }), kMap + "im2col/pixels_per_column",
       "(allowed: 1 to 1024)"},
      {im2col([](TensorMap& map, Im2colMap&) { map.dims.resize(2), map.strides_bytes.resize(1); }), kMap + "dims",
       "the rank of an im2col map is 2 (allowed: 3 to 5)"},
  });
}

}  // namespace
}  // namespace kmux
