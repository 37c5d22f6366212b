// Loops with "#pragma unroll N" and barriers in them.
#include "spmd/steps.h"
#include "spmd_steps.h"
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

namespace spmd {
namespace {

// Returns a loop with an unroll count of `told`, around `barrier` or "".
std::string told_to_unroll(const std::string& barrier, int told) {
  return "define void @k(ptr %x, i32 %n) {\nentry:\n  br label %loop\nloop:\n"
         "  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n" +
         barrier +
         "  %at = getelementptr i32, ptr %x, i32 %i\n  store i32 %i, ptr %at\n  %next = add i32 %i, 1\n"
         "  %goes = icmp slt i32 %next, %n\n  br i1 %goes, label %loop, label %end, !llvm.loop !0\nend:\n  ret "
         "void\n}\n"
         "!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.unroll.count\", i32 " +
         std::to_string(told) + "}\n";
}

TEST(UnrollTest, UnrollsBarrierLoopsAsRequested) {
  const auto barriers = [](const std::string& text) {
    Steps steps(text);
    structure(steps.kernel(), steps.functions, false);
    const std::string made = text_of(steps.kernel());
    int count = 0;
    for (std::size_t at = made.find("kmux.barrier"); at != std::string::npos; at = made.find("kmux.barrier", at + 1))
      ++count;
    return count;
  };
  const std::string barrier = "  call void @\"kmux.barrier\"()\n";
  EXPECT_EQ(barriers(told_to_unroll(barrier, 5)), 5);
  EXPECT_EQ(barriers(told_to_unroll(barrier, 1)), 1);
  EXPECT_EQ(barriers(told_to_unroll(barrier, 1000)), 1);  // too much code
  EXPECT_EQ(barriers(told_to_unroll("", 5)), 0);
}

}  // namespace
}  // namespace spmd
}  // namespace kmux::cpu
