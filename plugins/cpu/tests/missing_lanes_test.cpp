// The values that lanes of a warp read from non-participating lanes, and shared values that a later warp overwrites.
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/private_folder.h"
#include "kmux/plugin/process.h"

#include "checked_kernel.h"
#include "device_call.h"
#include "needs.h"

namespace kmux::cpu::missing_lanes {
namespace {

// Lane 0's part of a sum over 32 lanes of which only some participate; the others keep their values.
constexpr const char* kSomeAddUp = R"(__device__ float sum_of(unsigned mask, float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(mask, v, d);
  return v;
}
__global__ void k(const float* x, float* y, int n) {
  __shared__ float s[8];
  if (threadIdx.x < 8) s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  float v = 1000;
  if (threadIdx.x < 8) v = sum_of(0xff, s[threadIdx.x]);
  if (threadIdx.x == 0 || threadIdx.x >= 8) y[threadIdx.x] = v;
})";

TEST(MissingLanesTest, ContributeNothingToSums) {
  for (const char* const tier : {"fast", "full"}) {
    const auto y = CheckedKernel{.source = kSomeAddUp, .options = {{"tier", tier}}}();
    ASSERT_TRUE(y.ok()) << y.error().explain();
    EXPECT_EQ((*y)[0], 28) << tier;
    EXPECT_EQ((*y)[8], 1000) << tier;
    EXPECT_EQ((*y)[63], 1000) << tier;
  }
}

TEST(MissingLanesTest, ContributeNothingToSumsOnFibers) {
  const std::string recursion =
      "__device__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n" + std::string(kSomeAddUp);
  std::string source = recursion;
  source.replace(source.find("float v = 1000"), 14, "float v = 999 + f(2)");
  const auto y = CheckedKernel{.source = source, .options = {}}();
  ASSERT_TRUE(y.ok()) << y.error().explain();
  EXPECT_EQ((*y)[0], 28);
  EXPECT_EQ((*y)[8], 1000);
}

// Nor the value that a lane had in the same variable before it diverged.
TEST(MissingLanesTest, DoNotProvideStaleValues) {
  const std::vector<float> x = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                                17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
  const std::vector<float> y = elements<float>({R"(__global__ void k(const float* x, float* y, int n) {
  float v = x[threadIdx.x];
  if (threadIdx.x < 16) v += __shfl_down_sync(0xffff, v, 16);
  y[threadIdx.x] = v;
})",
                                                32},
                                               x);
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(y[15], 16);
  EXPECT_EQ(y[16], 17);
}

TEST(MissingLanesTest, OfPartialWarpContributeNothing) {
  const std::vector<double> x(16, 1.5);
  const std::vector<double> y = elements<double>({R"(__global__ void k(const double* x, double* y, int n) {
  double v = x[threadIdx.x];
  for (int m = 16; m > 0; m /= 2) v += __shfl_xor_sync(0xffffffff, v, m);
  y[threadIdx.x] = v;
})",
                                                  16},
                                                 x);
  EXPECT_THAT(y, testing::Each(24.0));
}

TEST(MissingLanesTest, AreReportedIfTheirValueIsWritten) {
  EXPECT_THAT(findings_of({.source = kSomeAddUp}),
              ElementsAre(AllOf(HasSubstr("writes what a function of its warp took from lane 16, which does not take "
                                          "part in it (at k.cu:2; block (0, 0, 0), thread (0, 0, 0), at k.cu:11)"),
                                HasSubstr("Have that lane take part"))));
}

// The upper lanes of a reduction read such values and use them further, but no thread reads the result.
TEST(MissingLanesTest, AreIgnoredIfNothingIsWritten) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  float most = threadIdx.x < 16 ? x[threadIdx.x] : -1, sum = most;
  if (threadIdx.x < 16) {
    for (int d = 8; d > 0; d /= 2) {
      const float other = __shfl_down_sync(0xffff, most, d);
      if (other > most) most = other;
      sum += __shfl_down_sync(0xffff, sum, d);
    }
  }
  if (threadIdx.x == 0) y[0] = most + sum;
})"};
  EXPECT_THAT(findings_of(kernel), IsEmpty());
}

// A tree leaves the maximum in place 0, which the next round writes while others may still be reading it.
std::string overwritten(const char* barrier) {
  return R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ float best[1024];
  float sum = 0;
  for (int round = 0; round < 10; ++round) {
    best[threadIdx.x] = (threadIdx.x * 7 + round) % 1024;
    for (int half = 512; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + half]);
    }
    __syncthreads();
    sum += best[0];
)" + std::string(barrier) +
         R"(  }
  if (threadIdx.x % 16 == 0) y[threadIdx.x / 16] = sum;
})";
}

TEST(BroadcastsTest, AreReadBeforeOverwriteWithWarning) {
  for (const char* const tier : {"fast", "full"}) {
    Workbench bench;
    const CheckedKernel kernel{.source = overwritten(""), .block = {1024}, .options = {{"tier", tier}}};
    const auto y = kernel(bench);
    ASSERT_TRUE(y.ok()) << y.error().explain();
    EXPECT_THAT(*y, testing::Each(10230.0f)) << tier;
    EXPECT_THAT(bench.host.log, AllOf(HasSubstr("kernel \"k\" overwrites shared memory that all its threads read"),
                                      HasSubstr("k.cu:5"), HasSubstr("k.cu:11")));
  }
}

TEST(BroadcastsTest, WithBarrierCauseNoWarning) {
  Workbench bench;
  const CheckedKernel kernel{.source = overwritten("    __syncthreads();\n"), .block = {1024}, .options = {}};
  const auto y = kernel(bench);
  ASSERT_TRUE(y.ok()) << y.error().explain();
  EXPECT_THAT(*y, testing::Each(10230.0f));
  EXPECT_EQ(bench.host.log, "");
}

TEST(BroadcastsTest, OfTilesAreReadBeforeNextTile) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ float tile[768];
  float sum = 0;
  for (int i = 0; i < 8; ++i) {
    tile[threadIdx.x] = (i * 768 + threadIdx.x) % 32;
    __syncthreads();
    for (int j = 0; j < 768; ++j) sum += tile[j];
  }
  if (threadIdx.x % 12 == 0) y[threadIdx.x / 12] = sum;
})",
                             .block = {768},
                             .options = {}};
  const auto y = kernel();
  ASSERT_TRUE(y.ok()) << y.error().explain();
  EXPECT_THAT(*y, testing::Each(8 * 768 * 15.5f));
}

// Exited threads reach no barrier; a barrier on their path would block the others forever.
TEST(BroadcastsTest, RemainCorrectAfterThreadExit) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ int flag;
  if (threadIdx.x >= 480) return;
  int rounds = 0;
  do {
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    ++rounds;
    if (threadIdx.x == 77 && rounds < 9) flag = 1;
    __syncthreads();
  } while (flag);
  if (threadIdx.x % 8 == 0) y[threadIdx.x / 8] = rounds;
})",
                             .block = {512},
                             .options = {}};
  const auto y = kernel();
  ASSERT_TRUE(y.ok()) << y.error().explain();
  EXPECT_EQ((*y)[0], 9);
  EXPECT_EQ((*y)[59], 9);
  EXPECT_EQ((*y)[60], -1);
}

// A ticket from an atomic, and the earlier threads' writes: AArch64 only orders these on request.
TEST(AtomicsOfAArch64Test, UseAcquireReleaseInstructions) {
  constexpr const char* kObjdump = "/usr/lib/llvm-19/bin/llvm-objdump";
  if (access(kObjdump, X_OK) != 0) GTEST_SKIP() << needs("llvm-objdump", kObjdump);
  ProgramBuilder builder("ticket");
  builder.output("y", dtype::kInt32, {256});
  builder.variant("cuda").source("k.cu", R"(__global__ void k(int* y) {
  atomicAdd(y, 1);
  atomicCAS(y + 1, 2, 3);
  atomicExch(y + 2, 4);
  atomicInc(reinterpret_cast<unsigned*>(y + 3), 5);
})");
  builder.launch("k").grid({Expr(4)}).block({Expr(64)}).args({"y"});
  const Program program = builder.build().value();
  FakeHost host;
  CpuBackend backend{host};
  const Artifact artifact = wrap_and_build(backend, program, {}, "cpu:neoverse-v2").value();
  const PrivateFolder folder = PrivateFolder::create("kmux-atomics").value();
  folder.write("k.o", *artifact.find(kCodePart)).value();
  const ProcessResult listing = run({.argv = {kObjdump, "-d", folder.path() + "/k.o"}}).value();
  ASSERT_EQ(listing.exit_code, 0) << listing.standard_error;
  EXPECT_THAT(listing.standard_output, AllOf(HasSubstr("ldaddal\t"), HasSubstr("casal\t"), HasSubstr("swpal\t")));
  EXPECT_THAT(listing.standard_output, AllOf(testing::Not(HasSubstr("\tldadd\t")), testing::Not(HasSubstr("\tcas\t")),
                                             testing::Not(HasSubstr("\tswp\t"))));
}

}  // namespace
}  // namespace kmux::cpu::missing_lanes
