// Launches whose blocks wait for each other: vectorized in both tiers, and thread by thread. Also blocks that run in
// time slices.
#include <sched.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked_kernel.h"
#include "suite_kernel.h"

namespace kmux::cpu {
namespace {

const Options kChecked = {{"check", "on"}, {"opt_level", "0"}};
const std::vector<Options> kWays = {
    {{"tier", "fast"}}, {{"tier", "full"}}, {{"tier", "fast"}, {"opt_level", "0"}}, kChecked};

constexpr const char* kGroups =
    "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
    "__device__ int number() {\n"
    "  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
    "  return blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t;\n}\n";

CheckedKernel kernel_of(const std::string& body, std::vector<Expr> grid, std::vector<Expr> block) {
  return {.source = kGroups + ("__global__ void k(const float* x, float* y, int n) {\n" + body + "}\n"),
          .block = std::move(block),
          .grid = std::move(grid),
          .options = {},
          .is_cooperative = true};
}

std::vector<float> results(CheckedKernel kernel, const Options& way) {
  kernel.options = way;
  const auto result = kernel();
  EXPECT_TRUE(result.ok()) << result.error().explain();
  return result.ok() ? *result : std::vector<float>();
}

// Warps of 8, 16 and 32 lanes, one or more per block, in lockstep or not, and partial warps.
const std::vector<std::pair<int, std::vector<Expr>>> kShapes = {{8, {8}},    {4, {16}},   {2, {32}},    {1, {64}},
                                                                {2, {8, 4}}, {4, {4, 4}}, {16, {2, 2}}, {64, {1}}};

TEST(CooperativeTest, KeepsSharedMemoryAcrossGridSync) {
  const std::string body = R"(
  __shared__ float part[64];
  const cg::grid_group grid = cg::this_grid();
  const int i = number(), first = blockIdx.x * (n / gridDim.x), threads = n / gridDim.x;
  part[i - first] = x[i];
  __syncthreads();
  if (i == first) {
    float sum = 0;
    for (int j = 0; j < threads; ++j) sum += part[j];
    y[blockIdx.x] = sum;
  }
  grid.sync();
  float all = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) all += y[b];
  cg::grid_group::arrival_token token = grid.barrier_arrive();
  all += part[first + threads - 1 - i];
  grid.barrier_wait(static_cast<cg::grid_group::arrival_token&&>(token));
  y[i] = all;
)";
  for (const auto& [grid, block] : kShapes) {
    for (const Options& way : kWays) {
      const std::vector<float> y = results(kernel_of(body, {Expr(grid)}, block), way);
      ASSERT_EQ(y.size(), 64U);
      const int threads = 64 / grid;
      for (int i = 0; i < 64; ++i) {
        const int first = i / threads * threads;
        ASSERT_EQ(y[i], 2016 + first + (first + threads - 1 - i)) << i << " of " << grid << " blocks";
      }
    }
  }
}

// Outside of functions, in a namespace, static within a function, and in two functions: each block keeps its copy.
TEST(CooperativeTest, NamespaceSharedVariablesArePerBlock) {
  CheckedKernel kernel = kernel_of(R"(
  static __shared__ int calls;
  const cg::grid_group grid = cg::this_grid();
  const int i = number(), threads = n / gridDim.x, first = blockIdx.x * threads;
  part[i - first] = x[i];
  if (i == first) calls = 10 * blockIdx.x, a::blocks[1] = blockIdx.x;
  grid.sync();
  y[i] = reversed(i - first, threads) + 1000 * (a::blocks[1] + calls);
)",
                                   {}, {});
  kernel.source =
      "namespace a {\n__shared__ int blocks[2];\n}\nstatic __shared__ float part[64];\n"
      "__device__ float reversed(int t, int threads) { return part[threads - 1 - t]; }\n" +
      kernel.source;
  for (const auto& [grid, block] : kShapes) {
    kernel.grid = {Expr(grid)}, kernel.block = block;
    for (const Options& way : kWays) {
      const std::vector<float> y = results(kernel, way);
      ASSERT_EQ(y.size(), 64U);
      const int threads = 64 / grid;
      for (int i = 0; i < 64; ++i) {
        const int number = i / threads, first = number * threads;
        ASSERT_EQ(y[i], first + threads - 1 - (i - first) + 11000 * number) << i << " of " << grid << " blocks";
      }
    }
  }
}

TEST(CooperativeTest, SyncsGridInLoopWithBlockBarriers) {
  const std::string body = R"(
  __shared__ float own[64];
  const int i = number(), t = i % (n / gridDim.x);
  y[i] = x[i];
  float last = 0;
  for (int step = 0; step < 5; ++step) {
    cg::this_grid().sync();
    const float v = y[(i + 1) % n];
    own[t] = v;
    __syncthreads();
    const float neighbour = own[t ^ (n / gridDim.x > 1)];
    cg::this_grid().sync();
    if (i % 3 == 0) last += neighbour; else last -= 1;
    y[i] = v;
  }
  cg::this_grid().sync();
  y[i] += 100 * last;
)";
  for (const auto& [grid, block] : kShapes) {
    const int threads = 64 / grid;
    for (const Options& way : kWays) {
      const std::vector<float> y = results(kernel_of(body, {Expr(grid)}, block), way);
      ASSERT_EQ(y.size(), 64U);
      for (int i = 0; i < 64; ++i) {
        float last = 0;
        const int neighbour = i / threads * threads + ((i % threads) ^ (threads > 1 ? 1 : 0));
        for (int step = 0; step < 5; ++step) last += i % 3 == 0 ? static_cast<float>((neighbour + 1 + step) % 64) : -1;
        ASSERT_EQ(y[i], static_cast<float>((i + 5) % 64) + 100 * last) << i << " of " << grid << " blocks";
      }
    }
  }
}

// Enough blocks for several threads, pass by pass.
TEST(CooperativeTest, RunsManyBlocksOnPoolThreads) {
  constexpr int kBlocks = 512, kThreads = 128, kAll = kBlocks * kThreads, kSteps = 30;
  ProgramBuilder builder("sample");
  builder.pointer("a").pointer("b");
  builder.variant("cuda").source("k.cu", std::string(kGroups) + R"(
__global__ void k(unsigned* a, unsigned* b, int n) {
  const int i = number();
  unsigned mine = i;
  for (int step = 0; step < 30; ++step) {
    for (int round = 0; round < 20; ++round) mine = mine * 1664525u + 1013904223u;
    unsigned* const from = step % 2 ? b : a;
    unsigned* const to = step % 2 ? a : b;
    to[i] = from[(i + 4711) % n] + (mine >> 16);
    cg::this_grid().sync();
  }
})");
  builder.launch("k").grid({Expr(kBlocks)}).block({Expr(kThreads)}).cooperative().args({"a", "b"}).arg(Expr(kAll));
  const Program program = builder.build().value();
  std::vector<unsigned> wanted[2] = {std::vector<unsigned>(kAll), std::vector<unsigned>(kAll)};
  std::vector<unsigned> mine(kAll);
  for (int i = 0; i < kAll; ++i) wanted[0][i] = i * 7U, mine[i] = i;
  std::vector<unsigned> a = wanted[0], b(kAll);
  for (int step = 0; step < kSteps; ++step) {
    for (int i = 0; i < kAll; ++i) {
      for (int round = 0; round < 20; ++round) mine[i] = mine[i] * 1664525U + 1013904223U;
      wanted[(step + 1) % 2][i] = wanted[step % 2][(i + 4711) % kAll] + (mine[i] >> 16);
    }
  }
  Workbench bench;
  auto kernel = bench.load(program, {{"tier", "full"}});
  ASSERT_TRUE(kernel.ok()) << kernel.error().explain();
  for (int launch = 0; launch < 3; ++launch) {
    std::vector<unsigned> first = a, second = b;
    const Status done = (*kernel)({slot(first.data()), slot(second.data())});
    ASSERT_TRUE(done.ok()) << done.error().explain();
    EXPECT_EQ(first, wanted[0]);
    EXPECT_EQ(second, wanted[1]);
  }
}

TEST(CooperativeTest, GridSyncRequiresCooperativeLaunch) {
  CheckedKernel kernel = kernel_of("  if (n == 1) return;\n  cg::this_grid().sync();\n", {4}, {16});
  kernel.is_cooperative = false;
  for (const Options& way : kWays) {
    kernel.options = way;
    const auto result = kernel();
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kLaunchFailed);
    EXPECT_THAT(
        result.error().message,
        AllOf(HasSubstr("grid.sync() in a launch that is not cooperative (k.cu:9, block (0, 0, 0), thread (0, 0, "
                        "0)). Launch it cooperatively; results are incomplete."),
              testing::Not(HasSubstr("assertion"))));
  }
}

TEST(CooperativeTest, GridIsValidOnlyInCooperativeLaunch) {
  CheckedKernel kernel = kernel_of(
      "  cg::grid_group grid = cg::this_grid();\n  if (grid.is_valid()) grid.sync();\n"
      "  y[number()] = grid.is_valid() ? 1 : 2;\n",
      {4}, {16});
  for (const bool is_cooperative : {true, false}) {
    kernel.is_cooperative = is_cooperative;
    for (const Options& way : kWays) EXPECT_EQ(results(kernel, way), std::vector<float>(64, is_cooperative ? 1 : 2));
  }
}

TEST(CooperativeTest, RejectsGridTooLargeForMemory) {
  CheckedKernel kernel =
      kernel_of("  __shared__ float all[40000];\n  all[number()] = n;\n  cg::this_grid().sync();\n  y[0] = all[0];\n",
                {100000}, {32});
  const auto widened = kernel();
  ASSERT_FALSE(widened.ok());
  EXPECT_EQ(widened.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(widened.error().message, HasSubstr("the grid is too large for a cooperative launch (100000 blocks"));
  kernel.options = kChecked;
  const auto checked = kernel();
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(checked.error().message, HasSubstr("100000 blocks of 32 threads, which have a stack each"));
}

TEST(CooperativeTest, ReportsTrapOfOneBlock) {
  const CheckedKernel kernel =
      kernel_of("  cg::this_grid().sync();\n  if (blockIdx.x == 2) __trap();\n  cg::this_grid().sync();\n", {4}, {16});
  for (const Options& way : kWays) {
    CheckedKernel one = kernel;
    one.options = way;
    const auto result = one();
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().message, HasSubstr("__trap() ended the kernel (block (2, 0, 0)"));
  }
}

// A GPU would wait for the exited threads: reported with checks on, and no deadlock with checks off.
TEST(CooperativeTest, ReportsGridBarrierMissedByThreads) {
  const CheckedKernel kernel =
      kernel_of("  y[number()] = 3;\n  if (blockIdx.x == 1) return;\n  cg::this_grid().sync();\n", {4}, {16});
  for (const Options& way : kWays) {
    if (way == kChecked) continue;
    EXPECT_EQ(results(kernel, way), std::vector<float>(64, 3));
  }
  CheckedKernel checked = kernel;
  checked.options = kChecked;
  EXPECT_THAT(findings_of(checked),
              ElementsAre(AllOf(HasSubstr("kernel \"k\" waits at a barrier that not all threads of its grid come to "
                                          "(thread (0, 0, 0) of block (1, 0, 0) has ended; block (0, 0, 0), thread "
                                          "(0, 0, 0), at k.cu:10)"))));
}

TEST(CooperativeTest, ChecksSharedMemoryOfEachBlockSeparately) {
  const auto findings = [](const std::string& wait) {
    CheckedKernel kernel = kernel_of("  __shared__ float own[16];\n  own[threadIdx.x] = x[number()];\n" + wait +
                                         "  y[number()] = own[15 - threadIdx.x];\n",
                                     {4}, {16});
    kernel.options = {{"check", "on"}, {"check_seed", "5"}};
    return findings_of(kernel);
  };
  EXPECT_THAT(findings("  cg::this_grid().sync();\n"), testing::IsEmpty());
  EXPECT_THAT(findings(""), testing::Contains(HasSubstr("\"own\" that another thread")));
}

/// While an object of this class exists, a launch runs on the calling thread.
class OneProcessor {
 public:
  OneProcessor() {
    cpu_set_t one;
    CPU_ZERO(&one);
    EXPECT_EQ(sched_getaffinity(0, sizeof before_, &before_), 0);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
      if (CPU_ISSET(i, &before_)) CPU_SET(i, &one);
    }
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  }
  ~OneProcessor() { sched_setaffinity(0, sizeof before_, &before_); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t before_;
};

class TurnsTest : public SuiteKernels {};
INSTANTIATE_TEST_SUITE_P(Tiers, TurnsTest, testing::Values("fast", "full"));

// Rows of a grid with fewer blocks than run in time slices, and with more; blocks that end before the loop, or have no
// far part, or stores in it; rounds that only some threads make; and a tree in shared memory after the loop.
TEST_P(TurnsTest, PreserveResultsOfFarLoops) {
  const OneProcessor one;
  source_ = R"(
extern "C" __global__ void k(const int* x, int* y, int* sums, int n, int ended) {
  __shared__ int part[256];
  const int row = blockIdx.y, block = row * gridDim.x + blockIdx.x, t = threadIdx.x;
  if (block == ended) return;
  int sum = row, last = -1;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    sum += x[i] * (row + 1);
    if (x[i] > 90) last = i;
    if (row == 0) y[i] = x[i] - last;
  }
  part[t] = sum + last;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) sums[block] = part[0] + blockIdx.x;
})";
  struct Grid {
    int x, y;
  };
  for (const Grid grid : {Grid{1, 1}, Grid{3, 2}, Grid{8, 1}, Grid{16, 1}, Grid{21, 2}}) {
    for (const int n : {100, (1 << 17) + 5, (1 << 17) + 256 * grid.x * 3, 300001}) {
      const int ended = grid.x * grid.y == 1 ? -1 : 1;
      auto x = integers(static_cast<std::size_t>(n), -100, 100);
      std::vector<int> y(x.size()), wanted_y(x.size());
      std::vector<int> sums(static_cast<std::size_t>(grid.x * grid.y)), wanted(sums.size());
      for (int block = 0; block < grid.x * grid.y; ++block) {
        if (block == ended) continue;
        const int row = block / grid.x;
        int all = block % grid.x;
        for (int t = 0; t < 256; ++t) {
          int last = -1;
          for (int i = block % grid.x * 256 + t; i < n; i += grid.x * 256) {
            const int value = x[static_cast<std::size_t>(i)];
            all += value * (row + 1);
            if (value > 90) last = i;
            if (row == 0) wanted_y[static_cast<std::size_t>(i)] = value - last;
          }
          all += row + last;
        }
        wanted[static_cast<std::size_t>(block)] = all;
      }
      launch("k", {.grid = {grid.x, grid.y}, .block = {256}}, {x, y, sums, n, ended});
      EXPECT_EQ(sums, wanted) << grid.x << " " << grid.y << " " << n;
      EXPECT_EQ(y, wanted_y) << grid.x << " " << grid.y << " " << n;
    }
  }
}

}  // namespace
}  // namespace kmux::cpu
