// SPDX-License-Identifier: Apache-2.0
// TileLang's own headers, and CUTLASS's: what a kernel computes with them, and the instructions that it may not use.
#include <gmock/gmock.h>

#include "required_arch.h"

namespace kmux::cpu {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

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

TEST_F(TilelangHeadersTest, InstructionIsRejectedWithPlace) {
  const Error error = failure(program_of(R"(#include <tl_templates/cuda/barrier.h>
extern "C" __global__ void k(const float* x, float* y, int n) {
  __shared__ __align__(16) uint64_t memory[2];
  auto barrier = reinterpret_cast<Barrier*>(memory);
  if (threadIdx.x == 0) barrier[0].init(1);
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x];
})",
                                         64, 64));
  EXPECT_EQ(error.code, ErrorCode::kUnsupported) << error.explain();
  EXPECT_THAT(error.message, AllOf(HasSubstr("\"mbarrier.init.shared::cta.b64 [%1], %0;\", whose instruction"),
                                   HasSubstr("tl_templates/cuda/barrier.h:"), EndsWith(").")));
}

}  // namespace
}  // namespace kmux::cpu
