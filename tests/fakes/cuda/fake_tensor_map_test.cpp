#include "kmux/plugin/driver.h"

#include "opened_fake.h"

namespace kmux::fake_cuda {
namespace {

using testing::ElementsAre;

class FakeTensorMapTest : public OpenedFake {
 protected:
  CUresult encode_tiled(void* base, std::uint64_t stride) {
    const std::uint64_t dims[] = {64, 32};
    const std::uint32_t box[] = {16, 8};
    const std::uint32_t element_strides[] = {1, 2};
    return cu.encode_tiled(&map, 7, 2, base, dims, &stride, box, element_strides, 0, 3, 2, 1);
  }
  alignas(16) char memory[32] = {};
  kmux_tensor_map map{};
};

TEST_F(FakeTensorMapTest, StoresEncodedTiledGeometry) {
  ASSERT_EQ(encode_tiled(memory, 256), CUDA_SUCCESS);
  const TensorMapBytes read = FakeCuda::read_map(&map);
  EXPECT_EQ(read.kind, MapKind::kTiled);
  EXPECT_EQ(read.base, reinterpret_cast<std::uintptr_t>(memory));
  EXPECT_THAT(read.dims_less_one, ElementsAre(63, 31, 0, 0, 0));
  EXPECT_THAT(read.strides_bytes, ElementsAre(256, 0, 0, 0));
  EXPECT_THAT(read.box, ElementsAre(16, 8, 0, 0, 0));
  EXPECT_THAT(read.element_strides, ElementsAre(1, 2, 0, 0, 0));
  EXPECT_EQ(read.swizzle, 3);
  EXPECT_THAT(fake.calls().at(0),
              testing::MatchesRegex("cuTensorMapEncodeTiled dtype 7 rank 2 base 0x[0-9a-f]+ dims 64,32 strides 256 box "
                                    "16,8 element_strides 1,2 interleave 0 swizzle 3 l2_promotion 2 oob_fill 1"));
}

TEST_F(FakeTensorMapTest, ReplacesAddress) {
  ASSERT_EQ(encode_tiled(memory, 256), CUDA_SUCCESS);
  EXPECT_EQ(cu.replace_address(&map, memory + 16), CUDA_SUCCESS);
  EXPECT_EQ(FakeCuda::read_map(&map).base, reinterpret_cast<std::uintptr_t>(memory) + 16);
  EXPECT_EQ(cu.replace_address(&map, memory + 1), CUDA_ERROR_INVALID_VALUE);
  map = {};
  EXPECT_EQ(cu.replace_address(&map, memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_ANY_THROW(FakeCuda::read_map(&map));
}

TEST_F(FakeTensorMapTest, RejectsMisalignedAddressAndStride) {
  EXPECT_EQ(encode_tiled(memory, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(encode_tiled(memory + 8, 256), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FakeTensorMapTest, StoresEncodedIm2colGeometry) {
  const std::uint64_t dims[] = {64, 16, 16, 2};
  const std::uint64_t strides[] = {128, 2048, 32768};
  const std::uint32_t element_strides[] = {1, 1, 1, 1};
  const int lower[] = {-1, -2};
  const int upper[] = {1, 2};
  EXPECT_EQ(cu.encode_im2col(&map, 6, 4, memory, dims, strides, lower, upper, 64, 128, element_strides, 0, 3, 0, 0),
            CUDA_SUCCESS);
  const TensorMapBytes read = FakeCuda::read_map(&map);
  EXPECT_EQ(read.kind, MapKind::kIm2col);
  EXPECT_THAT(read.lower_corner, ElementsAre(-1, -2, 0));
  EXPECT_THAT(read.upper_corner, ElementsAre(1, 2, 0));
  EXPECT_EQ(read.channels_per_pixel, 64);
  EXPECT_EQ(read.pixels_per_column, 128);
}

}  // namespace
}  // namespace kmux::fake_cuda
