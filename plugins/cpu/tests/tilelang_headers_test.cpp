// SPDX-License-Identifier: Apache-2.0
// TileLang's own headers, and CUTLASS's: the values that kernels compute with them.
#include <gtest/gtest.h>

#include "required_arch.h"

namespace kmux::cpu {
namespace {

using TilelangHeadersTest = RequiredArchTest;

TEST_F(TilelangHeadersTest, ComputeBlocksAndLimits) {
  std::vector<float> x(640);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const std::vector<float> y = run(R"(#include <tl_templates/cuda/copy.h>
#include <tl_templates/cuda/threadblock_swizzle.h>
extern "C" __global__ void k(const float* x, float* y, int n) {
  static_assert(std::numeric_limits<half_t>::is_specialized && !std::numeric_limits<float2>::is_specialized);
  const int own = blockIdx.x;
  const dim3 blockIdx = tl::rasterization2DRow<10>();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * own + float(std::numeric_limits<half_t>::max());
})",
                                   x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] * static_cast<float>(i / 64) + 65504) << i;
}

TEST_F(TilelangHeadersTest, BarriersInSharedMemoryWait) {
  std::vector<float> x(640);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const std::vector<float> y = run(R"(#include <tl_templates/cuda/barrier.h>
extern "C" __global__ void k(const float* x, float* y, int n) {
  __shared__ __align__(16) uint64_t memory[2];
  __shared__ float turned[64];
  auto barrier = reinterpret_cast<Barrier*>(memory);
  if (threadIdx.x == 0) barrier[0].init(64);
  __syncthreads();
  turned[63 - threadIdx.x] = x[64 * blockIdx.x + threadIdx.x];
  barrier[0].arrive();
  barrier[0].wait(0);
  y[64 * blockIdx.x + threadIdx.x] = turned[threadIdx.x];
})",
                                   x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i / 64 * 64 + 63 - i % 64]) << i;
}

}  // namespace
}  // namespace kmux::cpu
