// Kernels whose threads run with a stack each: those that cannot be vectorized, and those that are checked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked_kernel.h"

namespace kmux::cpu {
namespace {

constexpr const char* kRecursion = R"(__device__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
__global__ void k(const float* x, float* y, int n) {
  __shared__ float all[64];
  all[threadIdx.x] = f(threadIdx.x % 20);
  __syncthreads();
  y[threadIdx.x] = all[63 - threadIdx.x] + blockIdx.y;
})";

std::vector<float> fibonacci() {
  std::vector<float> values(64);
  for (std::size_t i = 0; i < values.size(); ++i) {
    int a = 0;
    int b = 1;
    for (std::size_t step = 0; step < (63 - i) % 20; ++step) a = std::exchange(b, a + b);
    values[i] = static_cast<float>(a + 1);
  }
  return values;
}

TEST(FibersTest, RunKernelsThatCannotBeWidened) {
  Workbench bench;
  const CheckedKernel kernel{.source = kRecursion, .grid = {Expr(1), Expr(2)}, .options = {}};
  const auto result = kernel(bench);
  ASSERT_TRUE(result.ok()) << result.error().explain();
  EXPECT_EQ(*result, fibonacci());
  EXPECT_THAT(bench.host.log, HasSubstr("which is slow: kernel \"k\" calls \"f(int)\", which calls itself"));
}

// An endless loop only has an effect where it is reached.
TEST(FibersTest, AreNotUsedForUnreachedEndlessLoops) {
  for (const char* const loop : {"while (true) {}", "for (;;) y[0] += 1;", "while (true) { while (x[0] > 0) ++y[1]; }",
                                 "while (true) __syncthreads();", "if (threadIdx.x % 3 == 1) while (true) {}"}) {
    for (const char* const tier : {"fast", "full"}) {
      Workbench bench;
      const std::string source = "__global__ void k(const float* x, float* y, int n) {\n  if (n == -1) " +
                                 std::string(loop) + "\n  y[threadIdx.x] = x[threadIdx.x] * 2;\n}";
      const CheckedKernel kernel{.source = source, .options = {{"tier", tier}}};
      const auto result = kernel(bench);
      ASSERT_TRUE(result.ok()) << result.error().explain();
      EXPECT_THAT(bench.host.log, testing::Not(HasSubstr("which is slow"))) << loop;
      for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ((*result)[i], 2.0F * static_cast<float>(i)) << loop;
    }
  }
}

TEST(FibersTest, GiveSameResultsInAllModes) {
  for (const Options& options :
       {Options{{"tier", "fast"}}, Options{{"opt_level", "0"}}, Options{{"check", "on"}},
        Options{{"check", "on"}, {"check_seed", "3"}}, Options{{"check", "on"}, {"opt_level", "0"}}}) {
    const CheckedKernel kernel{.source = kRecursion, .grid = {Expr(1), Expr(2)}, .options = options};
    const auto result = kernel();
    ASSERT_TRUE(result.ok()) << result.error().explain();
    EXPECT_EQ(*result, fibonacci());
  }
}

TEST(FibersTest, RejectInlineAssembly) {
  const CheckedKernel kernel{.source =
                                 "__device__ int f(int n) { asm volatile(\"exit;\"); return n ? f(n - 1) : 1; }\n"
                                 "__global__ void k(const float* x, float* y, int n) { y[0] = f(n); }",
                             .options = {}};
  const auto result = kernel();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(result.error().message, HasSubstr("exit;"));
}

TEST(FibersTest, ReportStackOverflowOfEndlessRecursion) {
  CheckedKernel kernel{.source = R"(__device__ float f(int n) { return n == -1 ? 0 : f(n + 1) + n; }
__global__ void k(const float* x, float* y, int n) { if (threadIdx.x == 3) y[0] = f(1); else y[threadIdx.x] = f(-3); })",
                       .options = {}};
  for (const char* check : {"off", "on"}) {
    kernel.options["check"] = check;
    const auto result = kernel();
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kLaunchFailed);
    EXPECT_THAT(result.error().message,
                HasSubstr("kernel \"k\" needs more than the 256 KiB of stack of a thread (function \"f(int)\" calls "
                          "itself; block (0, 0, 0), thread (3, 0, 0)"));
  }
}

TEST(FibersTest, CheckedKernelsCannotBeExported) {
  Workbench bench;
  ProgramBuilder builder("sample");
  builder.buffer("y", BufferParam{dtype::kFloat32, {64}});
  builder.variant("cuda").source("k.cu", "__global__ void k(float* y) { y[threadIdx.x] = 1; }");
  builder.launch("k").grid({Expr(1)}).block({Expr(64)}).args({"y"});
  const Program program = builder.build().value();
  const Options options = {{"check", "on"}};
  const auto kernel = bench.load(program, options);
  ASSERT_TRUE(kernel.ok()) << kernel.error().explain();
  const BuildRequest request{program, 0, bench.backend.resolve_target("auto", 0).value(), options};
  const auto exported = bench.backend.standalone(request, kernel->artifact);
  ASSERT_FALSE(exported.ok());
  EXPECT_EQ(exported.error().code, ErrorCode::kUnsupported);
}

TEST(FibersTest, ActivemaskNamesConvergedLanes) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  unsigned inner = 0;
  if (threadIdx.x % 4 == 1) inner = __activemask();
  const unsigned outer = __activemask();
  y[threadIdx.x] = (inner == 0x22222222u ? 2 : inner != 0) + (outer == ~0u ? 10 : 0);
})",
                             .block = {32}};
  const auto result = kernel();
  ASSERT_TRUE(result.ok()) << result.error().explain();
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ((*result)[i], i % 4 == 1 ? 12 : 10);
}

TEST(FibersTest, DisjointMasksConvergeSeparately) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  const unsigned half = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;
  float sum = x[threadIdx.x];
  for (int d = 8; d > 0; d /= 2) sum += __shfl_xor_sync(half, sum, d);
  if (threadIdx.x < 20) y[threadIdx.x] = sum;
  else if (threadIdx.x % 2) y[threadIdx.x] = __popc(__ballot_sync(0xaaaaaaaau & ~0xfffffu, threadIdx.x > 25));
})",
                             .block = {32}};
  const auto result = kernel();
  ASSERT_TRUE(result.ok()) << result.error().explain();
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ((*result)[i], i < 16 ? 120 : 376) << i;
  for (std::size_t i = 21; i < 32; i += 2) EXPECT_EQ((*result)[i], 3) << i;
}

TEST(FibersTest, OversizedLaunchesAreRejected) {
  const CheckedKernel large{.source = kRecursion, .block = {Expr(64), Expr(64)}};
  EXPECT_THAT(large().error().message, HasSubstr("4096 threads"));
  const CheckedKernel greedy{.source = kRecursion, .dynamic_bytes = 232448};
  EXPECT_THAT(greedy().error().message, HasSubstr("232704 bytes of shared memory"));
}

TEST(FibersTest, RunBlocksOf1024ThreadsWithBarriers) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ float sum[1024];
  sum[threadIdx.x] = threadIdx.x;
  for (int d = 512; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) sum[threadIdx.x] += sum[threadIdx.x + d];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = sum[0];
})",
                             .block = {1024},
                             .grid = {Expr(8)}};
  const auto result = kernel();
  ASSERT_TRUE(result.ok()) << result.error().explain();
  EXPECT_EQ((*result)[7], 523776);
}

// Returns the sum of a kernel with this body, and whether its 64 threads had separate stacks; shared `lock`, `flag` and
// `sum` are initially 0.
std::pair<std::vector<float>, bool> summed(const std::string& body, const Options& options = {}) {
  Workbench bench;
  const CheckedKernel kernel{.source =
                                 "__device__ int mutex;\n__global__ void k(const float* x, float* y, int n) {\n"
                                 "  __shared__ int lock, flag;\n  __shared__ volatile float sum;\n"
                                 "  if (threadIdx.x == 0) lock = flag = sum = 0;\n  __syncthreads();\n" +
                                 body + "\n  __syncthreads();\n  y[threadIdx.x] = sum;\n}",
                             .options = options};
  auto result = kernel(bench);
  EXPECT_TRUE(result.ok()) << result.error().explain() << body;
  return {result.ok() ? *result : std::vector<float>(), bench.host.log.find("in a loop") != std::string::npos};
}

constexpr const char* kWaits[] = {
    "  while (atomicCAS(&lock, 0, 1) != 0) {}\n  sum = sum + 1;\n  __threadfence_block();\n  atomicExch(&lock, 0);",
    "  for (int i = 0; i < 1; ++i) {\n    while (atomicExch(&mutex, 1)) __nanosleep(20);\n    sum = sum + 1;\n"
    "    __threadfence();\n    atomicExch(&mutex, 0);\n  }",
    "  if (n == 64) {\n    while (atomicExch(&mutex, 1)) {}\n    sum = sum + 1;\n    __threadfence();\n"
    "    atomicExch(&mutex, 0);\n  }",
    "  if (threadIdx.x / 32 == 0) {\n    while (atomicExch(&mutex, 1)) {}\n    sum = sum + 2;\n    __threadfence();\n"
    "    atomicExch(&mutex, 0);\n  }",
    "  if (threadIdx.x == 63) {\n    sum = 64;\n    __threadfence_block();\n    atomicExch(&flag, 1);\n  }\n"
    "  if (threadIdx.x == 0)\n    while (*(volatile int*)&flag == 0) {}",
    "  while (atomicAdd(&flag, 0) != 63 - threadIdx.x) {}\n  sum = sum + 1;\n  atomicAdd(&flag, 1);",
    "  for (bool is_done = false; !is_done;) {\n    if (atomicCAS(&lock, 0, 1) != 0) continue;\n    sum = sum + 1;\n"
    "    atomicExch(&lock, 0);\n    is_done = true;\n  }",
};

TEST(FibersTest, ThreadCanWaitForAnotherInBlock) {
  for (const char* const body : kWaits) {
    for (const Options& options : {Options{}, Options{{"tier", "fast"}}, Options{{"opt_level", "0"}}}) {
      const auto [y, has_stacks] = summed(body, options);
      EXPECT_EQ(y, std::vector<float>(64, 64)) << body;
      EXPECT_TRUE(has_stacks) << body;
    }
  }
}

TEST(FibersTest, CheckedThreadCanWaitForAnother) {
  const CheckedKernel kernel{.source = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ int turn;
  if (threadIdx.x == 0) turn = 63;
  __syncthreads();
  while (atomicAdd(&turn, 0) != threadIdx.x) {
  }
  y[threadIdx.x] = threadIdx.x;
  atomicSub(&turn, 1);
})"};
  const auto result = kernel();
  ASSERT_TRUE(result.ok()) << result.error().explain();
  EXPECT_EQ((*result)[63], 63);
}

constexpr const char* kNoWaits[] = {
    "  if (threadIdx.x == 0 && threadIdx.y == 0) {\n    while (atomicExch(&mutex, 1)) {}\n    sum = 64;\n"
    "    atomicExch(&mutex, 0);\n  }",
    "  if (n > 3 && !(threadIdx.x || threadIdx.y)) {\n    while (atomicExch(&mutex, 1)) {}\n    sum = 64;\n"
    "    atomicExch(&mutex, 0);\n  }",
    "  if (threadIdx.x == 0) {\n    while (atomicCAS(&mutex, 0, 1) != 0) {}\n    sum = 64;\n    atomicExch(&mutex, "
    "0);\n  }",
    "  for (bool is_done = false; !is_done;)\n    if (atomicCAS(&lock, 0, 1) == 0) {\n      sum = sum + 1;\n"
    "      atomicExch(&lock, 0);\n      is_done = true;\n    }",
    "  for (int old = flag, last = ~old; old != last;) {\n    last = old;\n    old = atomicCAS(&flag, last, last + "
    "1);\n"
    "  }\n  __syncthreads();\n  sum = flag;",
    "  __shared__ volatile int place[64];\n  place[threadIdx.x] = threadIdx.x;\n  __syncthreads();\n  int at = 0;\n"
    "  while (place[at] < 63) ++at;\n  sum = at + 1;",
    "  while (atomicAdd(&flag, 1) < 100) {}\n  sum = 64;",
    "  if (blockIdx.x > 0)\n    while (*(volatile int*)&mutex == 0) {}\n  sum = 64;",
};

TEST(FibersTest, AreNotUsedForLoopsWithoutWaits) {
  for (const char* const body : kNoWaits) {
    const auto [y, has_stacks] = summed(body);
    EXPECT_EQ(y, std::vector<float>(64, 64)) << body;
    EXPECT_FALSE(has_stacks) << body;
  }
}

}  // namespace
}  // namespace kmux::cpu
