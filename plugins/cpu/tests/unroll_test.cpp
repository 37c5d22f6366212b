// Loops with "#pragma unroll N" and barriers in them.
#include "suite_kernel.h"

namespace kmux::cpu {
namespace {

class UnrolledKernelsTest : public SuiteKernels {};
INSTANTIATE_TEST_SUITE_P(Tiers, UnrolledKernelsTest, testing::Values("fast", "full"));

TEST_P(UnrolledKernelsTest, StopAtLoopEnd) {
  source_ = R"(
extern "C" __global__ void march(const int* x, int* y, int depth) {
  __shared__ int plane[256];
  const int t = threadIdx.x, n = blockDim.x;
  int behind = 0, here = 0, ahead = x[t];
#pragma unroll 3
  for (int z = 0; z < depth; ++z) {
    behind = here;
    here = ahead;
    ahead = x[(z + 1) * n + t];
    __syncthreads();
    plane[t] = here;
    __syncthreads();
    if (plane[0] == 99) break;
    y[z * n + t] = behind + ahead + plane[(t + 1) % n];
  }
})";
  for (const int depth : {0, 1, 2, 3, 7, 9}) {
    const int n = 256, end = depth == 7 ? 4 : depth;
    auto x = integers(static_cast<std::size_t>(n * (depth + 1)), -9, 9);
    if (end < depth) x[static_cast<std::size_t>(n * end)] = 99;
    std::vector<int> y(static_cast<std::size_t>(n * depth + 1)), wanted(y.size());
    for (int i = 0; i < n * end; ++i) {
      const int z = i / n, t = i % n;
      const auto at = [&](int plane, int thread) { return x[static_cast<std::size_t>(plane * n + thread)]; };
      wanted[static_cast<std::size_t>(i)] = (z > 0 ? at(z - 1, t) : 0) + at(z + 1, t) + at(z, (t + 1) % n);
    }
    launch("march", {.grid = {1}, .block = {n}}, {x, y, depth});
    EXPECT_EQ(y, wanted) << depth;
  }
}

}  // namespace
}  // namespace kmux::cpu
