// Option check=on: races between threads of a block, and barriers that not all threads reach.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked_kernel.h"

namespace kmux::cpu {
namespace {

// The commonest guard of published kernels. Barriers count the threads that have not ended.
TEST(CheckThreadsTest, NotesBarrierThatEndedThreadsDoNotReach) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  if (threadIdx.x >= 40) return;
  y[threadIdx.x] = 1;
  __syncthreads();
})",
                             .grid = {Expr(2)}};
  Workbench bench;
  EXPECT_TRUE(kernel(bench).ok());
  EXPECT_THAT(
      bench.host.log,
      AllOf(HasSubstr("kernel \"k\" waits at a barrier that some threads of its block have ended before (thread "
                      "(40, 0, 0) has ended; block (0, 0, 0), thread (0, 0, 0), at k.cu:4)"),
            HasSubstr("Seen 2 times")));
}

TEST(CheckThreadsTest, ReportsDivergentBarriers) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  if (threadIdx.y == 0)
    __syncthreads();
  else
    __syncthreads();
})",
                             .block = {8, 2}};
  EXPECT_THAT(findings_of(kernel), ElementsAre(AllOf(HasSubstr("thread (0, 1, 0) waits at the barrier of k.cu:5;"),
                                                     HasSubstr("at k.cu:3"))));
}

TEST(CheckThreadsTest, ReportsMaskNamingAbsentLanes) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  float v = x[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v = __shfl_xor_sync(0xffffffff, v, 1);
  __syncthreads();
  y[threadIdx.x] = v;
})"};
  EXPECT_THAT(findings_of(kernel),
              ElementsAre(AllOf(HasSubstr("whose mask names lanes that do not take part (lane 16 waits at the barrier "
                                          "of k.cu:5; block (0, 0, 0), thread (0, 0, 0), at k.cu:4)"))));
}

TEST(CheckThreadsTest, ReportsMaskWithoutOwnLane) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  if (threadIdx.x < 5) y[threadIdx.x] = __ballot_sync(0xf, 1);
})"};
  EXPECT_THAT(findings_of(kernel), testing::Contains(AllOf(HasSubstr("whose mask does not name its own lane (lane 4;"),
                                                           HasSubstr("k.cu:2"))));
}

TEST(CheckThreadsTest, ReportsReadRacingWithWrite) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ float all[64];
  all[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = all[threadIdx.x ^ 1];
})"};
  EXPECT_THAT(
      findings_of(kernel),
      testing::Contains(AllOf(HasSubstr("reads 4 bytes of shared variable \"all\" that another thread wrote with "
                                        "no barrier between (byte 0, thread number 0 of the block at k.cu:3;"),
                              HasSubstr("thread (1, 0, 0), at k.cu:4"))));
}

// Returns the kernel with `text` in place of `word`.
CheckedKernel with(std::string source, std::string_view word, std::string_view text) {
  return {.source = source.replace(source.find(word), word.size(), text)};
}

// In a branch that whole warps skip, __syncthreads() would block forever.
TEST(CheckThreadsTest, AdvisesSyncwarpForRaceWithinWarp) {
  const char* const text = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ float all[64];
  all[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) all[threadIdx.x] += all[threadIdx.x ^ LANE];
  if (threadIdx.x == 0) y[0] = all[0];
})";
  EXPECT_THAT(findings_of(with(text, "LANE", "16")),
              testing::Each(AllOf(HasSubstr("\"all\""), HasSubstr("Put __syncwarp() between the two."))));
  EXPECT_THAT(findings_of(with(text, "LANE", "16")), testing::Not(IsEmpty()));
}

// The first race detected may be within a warp, later ones across warps.
TEST(CheckThreadsTest, AdvisesSyncthreadsForRaceBetweenWarps) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ float all[65];
  all[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = all[threadIdx.x + 1 & 63];
})"};
  const std::vector<std::string> findings = findings_of(kernel);
  EXPECT_THAT(findings, testing::Contains(AllOf(
                            HasSubstr("thread number 0 of the block"), HasSubstr("thread (1, 0, 0)"),
                            HasSubstr("Put __syncthreads() between the two, where all threads of the block come."))));
  EXPECT_THAT(findings, testing::Not(testing::Contains(HasSubstr("__syncwarp"))));
}

TEST(CheckThreadsTest, ReportsWriteRacingWithReads) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ float all[65];
  all[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x == 0) all[64] = 0;
  __syncthreads();
  const float next = all[threadIdx.x + 1];
  all[threadIdx.x] = next;
  __syncthreads();
  y[threadIdx.x] = all[threadIdx.x];
})"};
  EXPECT_THAT(
      findings_of(kernel),
      testing::Contains(AllOf(HasSubstr("that another thread read with no barrier between (byte 4, thread number "
                                        "0 of the block at k.cu:6;"),
                              HasSubstr("at k.cu:7"))));
}

TEST(CheckThreadsTest, ReportsRacingWritesOfDifferentValues) {
  const char* const text = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ int last;
  last = VALUE;
  __syncthreads();
  y[threadIdx.x] = last;
})";
  EXPECT_THAT(findings_of(with(text, "VALUE", "threadIdx.x")),
              ElementsAre(HasSubstr("writes 4 bytes of shared variable \"last\" that another thread wrote")));
  EXPECT_THAT(findings_of(with(text, "VALUE", "n")), IsEmpty());
}

TEST(CheckThreadsTest, AtomicsRaceOnlyWithPlainAccesses) {
  const char* const text = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  BARRIER
  y[threadIdx.x] = sum;
})";
  EXPECT_THAT(findings_of(with(text, "BARRIER", "__syncthreads();")), IsEmpty());
  EXPECT_THAT(findings_of(with(text, "BARRIER", "")), testing::Contains(HasSubstr("k.cu:7")));
}

// The programming guide's example of an atomic operation built from atomicCAS.
TEST(CheckThreadsTest, AcceptsPlainReadForCompareAndSwap) {
  const char* const text = R"(__device__ float raise(float* place, float value) {
  int* const bits = (int*)place;
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}
__global__ void k(const float* x, float* y, int n) {
  __shared__ float most[2];
  __shared__ double sum;
  if (threadIdx.x < 2) most[threadIdx.x] = 0;
  if (threadIdx.x == 2) sum = 0;
  __syncthreads();
  raise(&most[threadIdx.x % 2], x[threadIdx.x]);
  unsigned long long* const place = (unsigned long long*)&sum;
  for (unsigned long long old = *place, assumed = ~old; assumed != old;) {
    assumed = old;
    old = atomicCAS(place, assumed, __double_as_longlong(x[threadIdx.x] + __longlong_as_double(assumed)));
  }
  BARRIER
  y[threadIdx.x] = most[threadIdx.x % 2] + sum;
})";
  EXPECT_THAT(findings_of(with(text, "BARRIER", "__syncthreads();")), IsEmpty());
  EXPECT_THAT(findings_of(with(text, "BARRIER", "")), testing::Contains(HasSubstr("k.cu:23")));
}

TEST(CheckThreadsTest, SyncwarpOrdersOnlyItsWarp) {
  const char* const text = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ float all[64];
  all[threadIdx.x] = x[threadIdx.x];
  __syncwarp();
  y[threadIdx.x] = all[threadIdx.x ^ MASK];
})";
  EXPECT_THAT(findings_of(with(text, "MASK", "31")), IsEmpty());
  EXPECT_THAT(findings_of(with(text, "MASK", "32")), testing::Contains(HasSubstr("with no barrier between")));
}

TEST(CheckThreadsTest, SyncwarpOfHalfWarpOrdersOnlyThatHalf) {
  const char* const text = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ float all[64];
  all[threadIdx.x] = x[threadIdx.x];
  __syncwarp(threadIdx.x % 32 < 16 ? 0xffff : 0xffff0000);
  y[threadIdx.x] = all[threadIdx.x ^ MASK];
})";
  EXPECT_THAT(findings_of(with(text, "MASK", "15")), IsEmpty());
  EXPECT_THAT(findings_of(with(text, "MASK", "16")), testing::Contains(HasSubstr("with no barrier between")));
}

TEST(CheckThreadsTest, FindingsAreReproduciblePerSeed) {
  CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ float all[64];
  all[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = all[63 - threadIdx.x];
})"};
  const auto usual = findings_of(kernel);
  EXPECT_EQ(findings_of(kernel), usual);
  kernel.options["check_seed"] = "7";
  const auto other = findings_of(kernel);
  EXPECT_EQ(findings_of(kernel), other);
  EXPECT_NE(other, usual);
}

TEST(CheckThreadsTest, LimitsReportedFindings) {
  std::string source = "__global__ void k(const float* x, float* y, int n) {\n";
  for (int i = 0; i < 40; ++i) source += "y[n + " + std::to_string(i) + "] = 1;\n";
  const auto all = findings_of({.source = source + "}"});
  ASSERT_EQ(all.size(), 17U);
  EXPECT_EQ(all.back(), "and 24 more");
}

TEST(CheckThreadsTest, ReportsFailedAssertionAfterEarlierFindings) {
  const CheckedKernel raced{.source = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = 1;
  const int other = s[threadIdx.x ^ 1];
  if (threadIdx.x == 40) assert(other == 77);
  y[threadIdx.x] = other;
})"};
  EXPECT_THAT(findings_of(raced),
              ElementsAre(AllOf(HasSubstr("that no thread wrote"), HasSubstr("k.cu:4")),
                          AllOf(HasSubstr("that another thread read with no barrier between"), HasSubstr("at k.cu:3")),
                          AllOf(HasSubstr("that another thread wrote with no barrier between"), HasSubstr("k.cu:4")),
                          AllOf(HasSubstr("assertion \"other == 77\" failed"), HasSubstr("thread (40, 0, 0)"))));
  const CheckedKernel outside{.source = R"(__global__ void k(const float* x, float* y, int n) {
  y[threadIdx.x + 1000] = 1;
  if (threadIdx.x == 5) __trap();
})"};
  EXPECT_THAT(findings_of(outside), ElementsAre(AllOf(HasSubstr("of \"y\""), HasSubstr("Seen 6 times.")),
                                                HasSubstr("__trap() ended the kernel")));
}

TEST(CheckThreadsTest, ReportsFailedAssertionAlone) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  assert(threadIdx.x != 5);
})"};
  EXPECT_THAT(findings_of(kernel), ElementsAre(HasSubstr("assertion \"threadIdx.x != 5\" failed")));
}

// The thread that runs next changes with each read of a spin loop, and a warp at a convergence point continues
// meanwhile.
TEST(CheckThreadsTest, ThreadCanWaitForAnotherWarp) {
  for (const char* const body : {R"(
  if (threadIdx.x == 0) while (*(volatile float*)y == -1);
  if (threadIdx.x == 32) *(volatile float*)y = 5;)",
                                 R"(
  if (threadIdx.x == 32) while (atomicAdd(y, 0) == -1);
  if (threadIdx.x < 32) {
    __syncwarp();
    if (threadIdx.x == 0) atomicExch(y, 5);
  })",
                                 R"(
  if (threadIdx.x == 32) while (*(volatile float*)y == -1);
  if (threadIdx.x < 32) {
    __syncwarp();
    if (threadIdx.x == 0) *(volatile float*)y = 5;
  })"}) {
    const auto y =
        CheckedKernel{.source = std::string("__global__ void k(const float* x, float* y, int n) {") + body + "\n}"}();
    ASSERT_TRUE(y.ok()) << y.error().explain();
    EXPECT_EQ(y->front(), 5);
  }
}

TEST(CheckThreadsTest, RejectsInvalidCheckOptions) {
  Workbench bench;
  const Program program = one_kernel("f.c", "void k(int* out) { *out = 1; }").build().value();
  EXPECT_THAT(bench.failure(program, {{"check", "on"}}).message, HasSubstr("for dialect c"));
  EXPECT_THAT(bench.failure(program, {{"check", "yes"}}).message, HasSubstr("\"check\""));
}

}  // namespace
}  // namespace kmux::cpu
