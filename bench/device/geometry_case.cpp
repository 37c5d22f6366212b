// Launch geometry: grids, blocks, shared memory, clusters, cooperative and overlapping launches, L2 windows.
#include "suite.h"

namespace kmux::suite {
namespace {

KMUX_DEVICE_SUITE(Geometry);

constexpr const char* kIndexes = R"(
extern "C" __global__ void indexes(int* out) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
  out[i] = i;
}
)";

TEST_P(Geometry, ConstantGridAndBlock) {
  ProgramBuilder builder("constant_geometry");
  builder.output("out", dtype::kInt32, {5040}).variant("cuda").source("indexes.cu", kIndexes);
  builder.launch("indexes").grid({2, 3, 4}).block({5, 6, 7}).args({"out"});
  const Kernel kernel = compiled(builder);
  const Tensor out = poisoned(kernel, {5040}, dtype::kInt32);
  run(kernel, {out});
  expect_numbers(out, counted(5040));
}

TEST_P(Geometry, ComputedGridAndBlock) {
  ProgramBuilder builder("computed_geometry");
  const Expr n = builder.symbol("n");
  builder.buffer("out", BufferParam{dtype::kInt32, {n}}).variant("cuda").source("indexes.cu", kIndexes);
  builder.launch("indexes").grid({ceildiv(n, 64), 2}).block({min(n, 32)}).args({"out"});
  const Kernel kernel = compiled(builder);
  for (const std::int64_t count : {64, 128, 6400}) {
    const Tensor out = poisoned(kernel, {count}, dtype::kInt32);
    run(kernel, {out});
    expect_numbers(out, counted(count));
  }
}

// Writes every byte of its shared memory and adds them up.
constexpr const char* kShared = R"(
#ifndef FIXED
#define FIXED 1
#endif
extern "C" __global__ void shared(int* out, int bytes) {
  extern __shared__ unsigned char dynamic[];
  __shared__ unsigned char fixed[FIXED];
  for (int i = threadIdx.x; i < bytes; i += blockDim.x) dynamic[i] = 1 + i % 3;
  for (int i = threadIdx.x; i < FIXED; i += blockDim.x) fixed[i] = 1;
  __syncthreads();
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < bytes; ++i) sum += dynamic[i];
  for (int i = 0; i < FIXED; ++i) sum += fixed[i];
  *out = sum;
}
)";

double sum_of(std::int64_t bytes, std::int64_t fixed) {
  double sum = static_cast<double>(fixed);
  for (std::int64_t i = 0; i < bytes; ++i) sum += static_cast<double>(1 + i % 3);
  return sum;
}

ProgramBuilder shared_program(std::int64_t bytes, const std::string& defines = {}) {
  ProgramBuilder builder("shared");
  builder.output("out", dtype::kInt32, {1}).variant("cuda").source("shared.cu", defines + kShared);
  builder.launch("shared").grid({1}).block({256}).dynamic_smem_bytes(bytes).args({"out"}).arg(bytes);
  return builder;
}

TEST_P(Geometry, ConstantSharedMemory) {
  for (const std::int64_t bytes : {0, 1000, 49152, 49153, 102400, 231000}) {
    SCOPED_TRACE(bytes);
    const Kernel kernel = compiled(shared_program(bytes));
    const Tensor out = poisoned(kernel, {1}, dtype::kInt32);
    run(kernel, {out});
    expect_numbers(out, {sum_of(bytes, 1)});
  }
}

TEST_P(Geometry, StaticAndDynamicSharedMemoryTogetherAbove48KiB) {
  const Kernel kernel = compiled(shared_program(30000, "#define FIXED 40000\n"));
  const Tensor out = poisoned(kernel, {1}, dtype::kInt32);
  run(kernel, {out});
  expect_numbers(out, {sum_of(30000, 40000)});
}

TEST_P(Geometry, ComputedSharedMemoryRisesAndFalls) {
  ProgramBuilder builder("computed_shared");
  builder.output("out", dtype::kInt32, {1});
  const Expr bytes = builder.scalar("bytes", dtype::kInt32);
  builder.variant("cuda").source("shared.cu", kShared);
  builder.launch("shared").grid({1}).block({256}).dynamic_smem_bytes(bytes).args({"out", "bytes"});
  const Kernel kernel = compiled(builder);
  for (const int size : {1000, 60000, 200000, 4000, 0, 231000, 50000}) {
    SCOPED_TRACE(size);
    const Tensor out = poisoned(kernel, {1}, dtype::kInt32);
    run(kernel, {out, size});
    expect_numbers(out, {sum_of(size, 1)});
  }
}

TEST_P(Geometry, TooMuchSharedMemoryIsAnErrorAndTheNextCallWorks) {
  ProgramBuilder builder("too_much_shared");
  builder.output("out", dtype::kInt32, {1});
  const Expr bytes = builder.scalar("bytes", dtype::kInt32);
  builder.variant("cuda").source("shared.cu", kShared);
  builder.launch("shared").grid({1}).block({256}).dynamic_smem_bytes(bytes).args({"out", "bytes"});
  const Kernel kernel = compiled(builder);
  const Tensor out = poisoned(kernel, {1}, dtype::kInt32);
  EXPECT_FALSE(kernel.launch({out, 1000000}).ok());
  run(kernel, {out, 1000});
  expect_numbers(out, {sum_of(1000, 1)});
}

// Writes the rank in the cluster, its number of blocks, and whether the launch is cooperative (the driver sets these
// registers).
constexpr const char* kRanks = R"(
extern "C" __global__ void ranks(int* out, int* arrived) {
  unsigned rank, size, low, high;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  asm volatile("mov.u32 %0, %%envreg1;" : "=r"(low));
  asm volatile("mov.u32 %0, %%envreg2;" : "=r"(high));
  if (threadIdx.x != 0) return;
  if (arrived != nullptr) {  // a barrier of the whole grid
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x) { }
  }
  out[3 * blockIdx.x] = rank, out[3 * blockIdx.x + 1] = size, out[3 * blockIdx.x + 2] = (low | high) != 0;
}
)";

Numbers ranks_of(int blocks, int cluster, bool is_cooperative) {
  Numbers expected;
  for (int block = 0; block < blocks; ++block) {
    for (const int value : {block % cluster, cluster, is_cooperative ? 1 : 0}) expected.push_back(value);
  }
  return expected;
}

ProgramBuilder ranks_program(const char* name, int blocks) {
  ProgramBuilder builder(name);
  builder.output("out", dtype::kInt32, {blocks * 3}).variant("cuda").source("ranks.cu", kRanks);
  builder.workspace("arrived", 16);
  return builder;
}

TEST_P(Geometry, Clusters) {
  for (const int cluster : {1, 2, 4, 8, 16}) {
    SCOPED_TRACE(cluster);
    ProgramBuilder builder = ranks_program("clusters", 32);
    builder.body().fill("arrived", 16, 127);
    builder.launch("ranks").grid({32}).block({32}).cluster({cluster}).args({"out", "arrived"});
    const Kernel kernel = compiled(builder);
    const Tensor out = poisoned(kernel, {96}, dtype::kInt32);
    run(kernel, {out});
    expect_numbers(out, ranks_of(32, cluster, false));
  }
}

TEST_P(Geometry, ComputedClusters) {
  ProgramBuilder builder("computed_clusters");
  builder.output("out", dtype::kInt32, {96});
  const Expr blocks = builder.scalar("blocks", dtype::kInt32);
  builder.variant("cuda").source("ranks.cu", kRanks).workspace("arrived", 16);
  builder.body().fill("arrived", 16, 127);
  builder.launch("ranks").grid({32}).block({32}).cluster({blocks}).args({"out", "arrived"});
  const Kernel kernel = compiled(builder);
  for (const int cluster : {2, 16, 4}) {
    SCOPED_TRACE(cluster);
    const Tensor out = poisoned(kernel, {96}, dtype::kInt32);
    run(kernel, {out, cluster});
    expect_numbers(out, ranks_of(32, cluster, false));
  }
}

TEST_P(Geometry, Cooperative) {
  ProgramBuilder builder = ranks_program("cooperative", 132);
  builder.body().fill("arrived", 16);
  builder.launch("ranks").grid({132}).block({64}).cooperative().args({"out", "arrived"});
  const Kernel kernel = compiled(builder);
  const Tensor out = poisoned(kernel, {132 * 3}, dtype::kInt32);
  run(kernel, {out});
  expect_numbers(out, ranks_of(132, 1, true));
}

TEST_P(Geometry, ClusterAndCooperativeTogether) {
  ProgramBuilder builder = ranks_program("cluster_cooperative", 64);
  builder.body().fill("arrived", 16);
  builder.launch("ranks").grid({64}).block({64}).cluster({4}).cooperative().args({"out", "arrived"});
  const Kernel kernel = compiled(builder);
  const Tensor out = poisoned(kernel, {64 * 3}, dtype::kInt32);
  run(kernel, {out});
  expect_numbers(out, ranks_of(64, 4, true));
}

// The first kernel lets the second begin and continues for a while; the second records when it began, waits, and reads.
constexpr const char* kPair = R"(
__device__ unsigned long long now() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}
extern "C" __global__ void first(long long* middle, const long long* x) {
  asm volatile("griddepcontrol.launch_dependents;");
  const unsigned long long begin = now();
  while (now() - begin < 200000) { }
  middle[0] = x[0] + 1;
  middle[1] = now();
}
extern "C" __global__ void second(const long long* middle, long long* out) {
  const long long began = now();
  asm volatile("griddepcontrol.wait;" ::: "memory");
  out[0] = 2 * middle[0];
  out[1] = began < middle[1];
}
)";

TEST_P(Geometry, ProgrammaticSerializationOnlyWhereAskedFor) {
  for (const bool overlaps : {true, false}) {
    SCOPED_TRACE(overlaps);
    ProgramBuilder builder("pair");
    builder.input("x", dtype::kInt64, {1}).output("out", dtype::kInt64, {2}).variant("cuda").source("pair.cu", kPair);
    builder.workspace("middle", 16);
    builder.launch("first").grid({1}).block({1}).args({"middle", "x"});
    LaunchBuilder second = builder.launch("second").grid({1}).block({1}).args({"middle", "out"});
    if (overlaps) second.programmatic_serialization();
    const Kernel kernel = compiled(builder);
    const Tensor x = uploaded(kernel, {1}, dtype::kInt64, {20});
    for (int round = 0; round < 3; ++round) {
      const Tensor out = poisoned(kernel, {2}, dtype::kInt64);
      run(kernel, {x, out});
      if (round == 0) continue;  // the first launch may load the second kernel while the first one runs
      expect_numbers(out, {42, overlaps ? 1.0 : 0.0});
    }
  }
}

TEST_P(Geometry, L2Windows) {
  constexpr std::int64_t kCount = 1 << 20;
  ProgramBuilder builder("windows");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n}).output("y", dtype::kFloat32, {n}).variant("cuda").source("windows.cu", R"(
extern "C" __global__ void twice(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 2 * x[i];
})");
  const auto launch = [&] { return builder.launch("twice").grid({64}).block({256}).args({"x", "y"}).arg(n); };
  launch().l2_window("x", 1 << 20, 0.5);
  launch().l2_window("x", n * 4).l2_window("y", 4096, 1.0);
  launch().l2_window("x", std::int64_t{1} << 36);
  const Kernel kernel = compiled(builder);
  const Numbers numbers = random_numbers(kCount);
  Numbers expected;
  for (const double number : numbers) expected.push_back(2 * number);
  const Tensor x = uploaded(kernel, {kCount}, dtype::kFloat32, numbers);
  const Tensor y = poisoned(kernel, {kCount}, dtype::kFloat32);
  run(kernel, {x, y});
  expect_numbers(y, expected);
}

}  // namespace
}  // namespace kmux::suite
