// Kernels of dialect cuda on this processor, each compared with its sequential meaning, one thread after another.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <pthread.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workbench.h"

namespace kmux::cpu {
namespace {

using testing::Each;
using testing::HasSubstr;

using Extents = std::vector<Expr>;

constexpr std::int64_t kNumbers = 1000;  // not a multiple of any block

// A kernel `k(const float* x, float* y, int n)` over blocks of that shape.
struct Case {
  std::string source;
  Extents block = {64};
  Extents grid = {Expr(16)};
  std::int64_t dynamic_bytes = 0;
  Options options = {};
};

Result<std::vector<float>> run(const Case& given, const std::vector<float>& x) {
  ProgramBuilder builder("sample");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kFloat32, {n}});
  builder.buffer("y", BufferParam{dtype::kFloat32, {n}});
  builder.variant("cuda").source("k.cu", given.source);
  LaunchBuilder launch = builder.launch("k");
  launch.grid(given.grid).block(given.block).args({"x", "y"}).arg(n);
  if (given.dynamic_bytes > 0) launch.dynamic_smem_bytes(given.dynamic_bytes);
  KMUX_ASSIGN(const Program program, builder.build());
  KMUX_ASSIGN(LoadedKernel kernel, common_bench().load(program, given.options));
  std::vector<float> input = x;
  std::vector<float> y(x.size(), -1);
  KMUX_TRY(kernel({slot(input.data()), slot(y.data()), slot(static_cast<std::int64_t>(x.size()))}));
  return y;
}

std::vector<float> numbers(std::size_t count = kNumbers) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>((i * 37) % 101) - 20;
  return values;
}

// Returns the kernel's result, after comparing both tiers and a thread-by-thread run with every access checked.
std::vector<float> result_of(Case given, const std::vector<float>& x = numbers()) {
  given.options["tier"] = "fast";
  const auto fast = run(given, x);
  given.options["tier"] = "full";
  const auto full = run(given, x);
  EXPECT_TRUE(full.ok()) << full.error().explain();
  EXPECT_TRUE(fast.ok()) << fast.error().explain();
  given.options["check"] = "on";
  const auto checked = run(given, x);
  EXPECT_TRUE(checked.ok()) << checked.error().explain();
  if (!full.ok() || !fast.ok() || !checked.ok()) return {};
  EXPECT_EQ(*fast, *full);
  EXPECT_EQ(*checked, *full);
  return *full;
}

template <class F>
std::vector<float> expected(F value, std::size_t count = kNumbers) {
  const std::vector<float> x = numbers(count);
  std::vector<float> y(count);
  for (std::size_t i = 0; i < count; ++i) y[i] = static_cast<float>(value(x, i));
  return y;
}

constexpr const char* kScale =
    "__global__ void k(const float* x, float* y, int n) {\n"
    "  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
    "  for (int i = blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t; i < n;\n"
    "       i += gridDim.x * blockDim.x * blockDim.y * blockDim.z) y[i] = 2 * x[i] + 1;\n"
    "}\n";

TEST(DeviceKernelsTest, RunWithEveryBlockShape) {
  const auto wanted = expected([](const auto& x, std::size_t i) { return 2 * x[i] + 1; });
  for (const Extents& block :
       {Extents{1}, Extents{31}, Extents{32}, Extents{33}, Extents{48}, Extents{1024}, Extents{16, 16},
        Extents{8, 4, 2}, Extents{5, 5, 5}, Extents{1, 1, 64}, Extents{24, 3}}) {
    EXPECT_EQ(result_of({.source = kScale, .block = block}), wanted) << to_string(block[0]) << " and " << block.size();
  }
}

TEST(DeviceKernelsTest, ThreadsExitLoopIndividually) {
  const Case given{.source = R"(__global__ void k(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = i + 1;
  int steps = 0;
  while (v != 1) {
    if (v & 1) v = 3 * v + 1;
    else v >>= 1;
    if (++steps == 50) break;
  }
  y[i] = steps;
})"};
  EXPECT_EQ(result_of(given), expected([](const auto&, std::size_t i) {
              int steps = 0;
              for (unsigned v = static_cast<unsigned>(i) + 1; v != 1 && steps < 50; ++steps)
                v = v & 1 ? 3 * v + 1 : v / 2;
              return steps;
            }));
}

TEST(DeviceKernelsTest, RunNestedDivergentLoopsAndBranches) {
  const Case given{.source = R"(__global__ void k(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int a = 0; a < i % 7; ++a) {
    if ((a + i) % 3 == 0) {
      for (int b = i % 5; b > 0; --b) sum += b * x[i];
      if (i % 11 == 4) continue;
    } else if (i % 2) {
      sum -= a;
    }
    if (sum > 300) break;
    sum += 1;
  }
  y[i] = sum;
})"};
  EXPECT_EQ(result_of(given), expected([](const auto& x, std::size_t at) {
              const int i = static_cast<int>(at);
              float sum = 0;
              for (int a = 0; a < i % 7; ++a) {
                if ((a + i) % 3 == 0) {
                  for (int b = i % 5; b > 0; --b) sum += static_cast<float>(b) * x[at];
                  if (i % 11 == 4) continue;
                } else if (i % 2 == 1) {
                  sum -= static_cast<float>(a);
                }
                if (sum > 300) break;
                sum += 1;
              }
              return sum;
            }));
}

TEST(DeviceKernelsTest, BlocksShareMemoryAcrossBarriers) {
  const Case given{.source = R"(__device__ float total(float value) {
  __shared__ float all[96];
  all[threadIdx.x] = value;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 96; ++i) sum += all[i];
  __syncthreads();
  return sum;
}
__global__ void k(const float* x, float* y, int n) {
  for (int first = 0; first < n; first += 96) {
    const int i = first + threadIdx.x;
    const float sum = total(i < n ? x[i] : 0);
    if (i < n) y[i] = sum - x[i];
  }
})",
                   .block = {96},
                   .grid = {Expr(1)}};
  EXPECT_EQ(result_of(given), expected([](const auto& x, std::size_t i) {
              const std::size_t first = i / 96 * 96;
              const auto end = x.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(first + 96, x.size()));
              return std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(first), end, 0.0F) - x[i];
            }));
}

TEST(DeviceKernelsTest, CallsShareOneSharedVariable) {
  const Case given{.source = R"(__device__ int* counter() {
  __shared__ int count[16000];
  return count;
}
__device__ void add() { atomicAdd(&counter()[5], 1); }
__global__ void k(const float* x, float* y, int n) {
  if (threadIdx.x == 0) counter()[5] = 0;
  __syncthreads();
  add();
  add();
  __syncthreads();
  add();
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = counter()[5];
})",
                   .block = {96},
                   .grid = {Expr(1)}};
  EXPECT_EQ(result_of(given), std::vector<float>(kNumbers, 3 * 96));
}

TEST(DeviceKernelsTest, UseMaximalDynamicSharedMemory) {
  const Case given{.source = R"(__global__ void k(const float* x, float* y, int n) {
  extern __shared__ float all[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) all[50000 + i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = all[50000 + n - 1 - i];
})",
                   .block = {128},
                   .grid = {Expr(1)},
                   .dynamic_bytes = 227 << 10};
  EXPECT_EQ(result_of(given), expected([](const auto& x, std::size_t i) { return x[x.size() - 1 - i]; }));
}

// Calls `kernel` on a thread whose stack has 256 KiB.
Status call_on_small_stack(LoadedKernel& kernel, const std::vector<kmux_slot>& slots) {
  struct Call {
    LoadedKernel& kernel;
    const std::vector<kmux_slot>& slots;
    Status status = Ok{};
  } call{kernel, slots};
  const auto body = [](void* argument) -> void* {
    Call& made = *static_cast<Call*>(argument);
    made.status = made.kernel(made.slots);
    return nullptr;
  };
  pthread_attr_t small;
  pthread_attr_init(&small);
  EXPECT_EQ(pthread_attr_setstacksize(&small, 256 << 10), 0);
  pthread_t thread;
  EXPECT_EQ(pthread_create(&thread, &small, body, &call), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);
  return call.status;
}

TEST(DeviceKernelsTest, UseAllSharedMemoryOnSmallStack) {
  ProgramBuilder builder("sample");
  builder.buffer("y", BufferParam{dtype::kFloat32, {1024}});
  builder.variant("cuda").source("k.cu", R"(__global__ void k(float* y) {
  __shared__ float own[127 * 256];
  extern __shared__ float all[];
  for (int i = threadIdx.x; i < 127 * 256; i += blockDim.x) own[i] = i;
  for (int i = threadIdx.x; i < 100 * 256; i += blockDim.x) all[i] = i;
  __syncthreads();
  const float mine = own[127 * 256 - 1 - threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = mine + all[100 * 256 - 1 - threadIdx.x];
})");
  builder.launch("k").grid({Expr(1)}).block({Expr(1024)}).args({"y"}).dynamic_smem_bytes(100 << 10);
  const Program program = builder.build().value();
  for (const Options& options : {Options{{"tier", "fast"}}, Options{{"tier", "full"}}, Options{{"check", "on"}}}) {
    Workbench bench;
    auto kernel = bench.load(program, options);
    ASSERT_TRUE(kernel.ok()) << kernel.error().explain();
    std::vector<float> y(1024, -1);
    const Status status = call_on_small_stack(*kernel, {slot(y.data())});
    ASSERT_TRUE(status.ok()) << status.error().explain();
    for (int i = 0; i < 1024; ++i) ASSERT_EQ(y[i], 227 * 256 - 2 - 2 * i) << i;
  }
}

TEST(DeviceKernelsTest, WarpsExchangeValues) {
  const Case given{.source = R"(__global__ void k(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = i < n ? x[i] : 0;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  const double first = __shfl_sync(~0u, (double)i, 3, 8);
  const int up = __shfl_up_sync(~0u, i, 1), down = __shfl_down_sync(~0u, i, 2, 16);
  const unsigned odd = __ballot_sync(~0u, i % 3 == 1);
  const int any = __any_sync(~0u, i == 77), all = __all_sync(~0u, i < 900);
  if (i < n) y[i] = sum + first + up % 5 + down % 7 + __popc(odd) + 100 * any + 200 * all;
})"};
  EXPECT_EQ(result_of(given), expected([](const auto& x, std::size_t i) {
              const std::size_t warp = i / 32 * 32;
              float sum = 0;
              int odd = 0;
              for (std::size_t j = warp; j < warp + 32; ++j) {
                sum += j < x.size() ? x[j] : 0;
                odd += j % 3 == 1;
              }
              const std::size_t up = i % 32 == 0 ? i : i - 1;
              const std::size_t down = i % 16 + 2 >= 16 ? i : i + 2;
              const double rest = static_cast<double>(i / 8 * 8 + 3 + up % 5 + down % 7) + odd +
                                  (77 / 32 == i / 32 ? 100 : 0) + (warp + 31 < 900 ? 200 : 0);
              return sum + rest;
            }));
}

TEST(DeviceKernelsTest, UseSharedAtomicsAndPrivateArrays) {
  const Case given{.source = R"(__global__ void k(const float* x, float* y, int n) {
  __shared__ int count[8];
  __shared__ float sum;
  if (threadIdx.x < 8) count[threadIdx.x] = 0;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int own[8];
  for (int i = 0; i < 8; ++i) own[i] = i * i;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    atomicAdd(&count[i % 8], own[i * 3 % 8]);
    atomicAdd(&sum, x[i]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = i < 8 ? count[i] : sum;
})",
                   .block = {160},
                   .grid = {Expr(1)}};
  EXPECT_EQ(result_of(given), expected([](const auto& x, std::size_t i) -> double {
              if (i >= 8) return std::accumulate(x.begin(), x.end(), 0.0F);
              return static_cast<double>((i * 3 % 8) * (i * 3 % 8)) * kNumbers / 8;
            }));
}

TEST(DeviceKernelsTest, InactiveThreadsIgnoreDivisionByZero) {
  const Case given{.source = R"(__global__ void k(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 4 != 0) y[i] = 1000 / (i % 4) + 1000 % (i % 4);
  else if (i < n) y[i] = 0;
})"};
  EXPECT_EQ(result_of(given), expected([](const auto&, std::size_t i) {
              const int by = static_cast<int>(i % 4);
              return by == 0 ? 0 : 1000 / by + 1000 % by;
            }));
}

TEST(DeviceKernelsTest, InlineAssemblyIsRejectedWithLine) {
  const auto refused =
      run({.source = "__device__ void wait() {\n  asm volatile(\"tcgen05.wait::ld.sync.aligned;\");\n}\n"
                     "__global__ void k(const float* x, float* y, int n) { wait(); }"},
          numbers());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported) << refused.error().explain();
  EXPECT_THAT(
      refused.error().message,
      HasSubstr("has the inline assembly \"tcgen05.wait::ld.sync.aligned;\", whose instruction \"tcgen05.wait::ld.sync."
                "aligned\" is not for this processor (it needs tensor memory). Write it in C++ (k.cu:2)."));
}

TEST(DeviceKernelsTest, CallFunctionsChosenAtRuntime) {
  const Case given{.source = R"(__device__ float one(float x) { return x + threadIdx.x; }
__device__ float two(float x) { return x * blockDim.x; }
__global__ void k(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float (*f)(float) = i % 3 == 1 ? one : two;
  for (int j = 0; j < 3; ++j) f = f(1) > 2 ? one : two;
  if (i < n) y[i] = f(x[i]);
})"};
  EXPECT_EQ(result_of(given), expected([](const auto& x, std::size_t i) {
              const auto thread = static_cast<float>(i % 64);
              const auto call = [&](bool is_one, float v) { return is_one ? v + thread : v * 64; };
              bool is_one = i % 3 == 1;
              for (int j = 0; j < 3; ++j) is_one = call(is_one, 1) > 2;
              return call(is_one, x[i]);
            }));
}

TEST(DeviceKernelsTest, PassFunctionsAndLambdasAsArguments) {
  const Case given{.source = R"(__device__ float one(float x) { return 2 * x + blockDim.y; }
template <class F> __device__ float apply(F f, float x) { return f(x); }
__device__ float twice(float (*f)(float), float x) { return f(f(x)); }
__global__ void k(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = twice(one, x[i]) + apply([=](float v) { return v - i; }, 5.0f);
})"};
  EXPECT_EQ(result_of(given),
            expected([](const auto& x, std::size_t i) { return 2 * (2 * x[i] + 1) + 1 + 5 - static_cast<float>(i); }));
}

TEST(DeviceKernelsTest, OversizedLaunchesAreRejected) {
  const auto large = run({.source = kScale, .block = {Expr(64), Expr(64)}}, numbers());
  ASSERT_FALSE(large.ok());
  EXPECT_THAT(large.error().message, HasSubstr("4096 threads"));
  const auto greedy = run({.source = kScale, .dynamic_bytes = 300 << 10}, numbers());
  ASSERT_FALSE(greedy.ok());
  EXPECT_THAT(greedy.error().message, HasSubstr("shared memory"));
}

TEST(DeviceKernelsTest, CompileErrorsReportUserLines) {
  const auto failed = run(
      {.source = "__global__ void k(const float* x, float* y, int n) {\n  y[threadIdx.w] = nothing;\n}"}, numbers());
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(failed.error().explain(), HasSubstr("k.cu:2:"));
}

}  // namespace
}  // namespace kmux::cpu
