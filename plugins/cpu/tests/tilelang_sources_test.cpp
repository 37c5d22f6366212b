// SPDX-License-Identifier: Apache-2.0
// Sources that TileLang generated for sm_90a, with tensor cores, and CuTe: all of them become IR.
#include <gmock/gmock.h>

#include "kmux/plugin/file_io.h"

#include "required_arch.h"

namespace kmux::cpu {
namespace {

using testing::StartsWith;

using TilelangSourcesTest = RequiredArchTest;

// Clang compiles these sources whole. What is refused is the launch, which passes no tensor maps.
TEST_F(TilelangSourcesTest, CompileUpToTheirLaunch) {
  constexpr std::pair<const char*, const char*> kSources[] = {{"conv2d", "conv2d_kernel"},
                                                              {"flash_attention", "flash_attention_kernel"},
                                                              {"gemm_f16", "product_kernel"},
                                                              {"gemm_f16_cluster", "product_kernel"},
                                                              {"gemm_f16_dynamic", "product_kernel"},
                                                              {"gemm_f16_split", "gemm_f16_split_kernel"}};
  for (const auto& [name, kernel] : kSources) {
    const std::string path = std::string(name) + ".cu";
    const auto text = read_file(std::string(KMUX_TEST_DATA_DIR "/tilelang/") + name + "/" + path);
    ASSERT_TRUE(text.ok()) << text.error().explain();
    const Error error = failure(program_of(*text, 64, 64, kernel, path));
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << error.explain();
    EXPECT_THAT(error.message, StartsWith("kernel \"" + std::string(kernel) + "\" is launched with 3 arguments"));
    EXPECT_THAT(error.message, testing::HasSubstr("CUtensorMap"));
  }
}

TEST_F(TilelangSourcesTest, CuteTransposesTiles) {
  std::vector<float> x(64 * 64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const std::vector<float> y = run(R"(#include <cute/tensor.hpp>
using namespace cute;
extern "C" __global__ void k(const float* x, float* y, int n) {
  const auto shape = make_shape(Int<64>{}, Int<64>{});
  const auto tile = make_shape(Int<8>{}, Int<8>{});
  const Tensor in = make_tensor(make_gmem_ptr(x), make_layout(shape, LayoutRight{}));
  Tensor out = make_tensor(make_gmem_ptr(y), make_layout(shape, LayoutLeft{}));
  const auto place = make_coord(blockIdx.x % 8, blockIdx.x / 8);
  const auto threads = make_layout(make_shape(Int<8>{}, Int<8>{}));
  const Tensor from = local_partition(local_tile(in, tile, place), threads, threadIdx.x);
  Tensor to = local_partition(local_tile(out, tile, place), threads, threadIdx.x);
  const auto [rows, columns] = shape;
  copy(from, to);
  static_assert(decltype(rows)::value == 64 && cuda::std::tuple_size<decltype(shape)>::value == 2);
})",
                                   x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], static_cast<float>(i % 64 * 64 + i / 64)) << i;
}

}  // namespace
}  // namespace kmux::cpu
