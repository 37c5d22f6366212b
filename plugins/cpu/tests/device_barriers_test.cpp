// cuda::barrier, its copies, and cuda::ptx, in kernels as users write them.
#include <functional>

#include <gmock/gmock.h>

#include "checked_kernel.h"

namespace kmux::cpu::device_barriers {
namespace {

const Options kWays[] = {{{"tier", "full"}},
                         {{"tier", "fast"}},
                         {{"check", "on"}},
                         {{"check", "on"}, {"check_seed", "1"}},
                         {{"check", "on"}, {"check_seed", "2"}}};

constexpr const char* kHeaders = R"(#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
namespace cde = cuda::device::experimental;
using barrier = cuda::barrier<cuda::thread_scope_block>;
)";

CheckedKernel kernel_of(const std::string& body, const Options& options, std::vector<Expr> grid = {Expr(1)}) {
  const std::int64_t blocks = grid.front().constant();
  return {.source = kHeaders + ("__global__ void k(const float* x, float* y, int n) {\n" + body + "\n}\n"),
          .block = {Expr(64 / blocks)},
          .grid = std::move(grid),
          .options = options};
}

// Expects y[i] == expected(i) in each way of running, where x[i] is i.
void expect_values(const std::string& body, const std::function<float(int)>& expected, int blocks = 1) {
  for (const Options& options : kWays) {
    const auto result = kernel_of(body, options, {Expr(std::int64_t{blocks})})();
    ASSERT_TRUE(result.ok()) << result.error().explain() << "\n" << body;
    for (int i = 0; i < CheckedKernel::kElements; ++i)
      ASSERT_EQ((*result)[static_cast<std::size_t>(i)], expected(i)) << i << " of " << body;
  }
}

TEST(DeviceBarriersTest, ThreadsWorkBetweenArrivalAndWait) {
  expect_values(R"(
  __shared__ float a[64];
  __shared__ barrier bar;
  cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  float sum = 0;
  for (int step = 0; step < 3; ++step) {
    a[threadIdx.x] = x[threadIdx.x] + step;
    barrier::arrival_token token = bar.arrive();
    sum += step;  // work that needs no other thread
    bar.wait(std::move(token));
    sum += a[63 - threadIdx.x];
    bar.arrive_and_wait();
  }
  y[threadIdx.x] = sum;)",
                [](int i) { return static_cast<float>(3 * (63 - i) + 6); });
}

// One warp fills two buffers, the other consumes them: each buffer has a barrier for either direction.
TEST(DeviceBarriersTest, WarpsProduceAndConsume) {
  expect_values(R"(
  __shared__ barrier ready[2], filled[2];
  __shared__ float buffer[2][32];
  if (threadIdx.x < 2) { init(&ready[threadIdx.x], blockDim.x); init(&filled[threadIdx.x], blockDim.x); }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  float sum = 0;
  if (threadIdx.x < 32) {
    for (int i = 0; i < 5; ++i) {
      ready[i % 2].arrive_and_wait();
      buffer[i % 2][lane] = x[lane] * (i + 1);
      auto token = filled[i % 2].arrive();
    }
  } else {
    barrier::arrival_token first = ready[0].arrive(), second = ready[1].arrive();
    for (int i = 0; i < 5; ++i) {
      filled[i % 2].arrive_and_wait();
      sum += buffer[i % 2][31 - lane];
      (void)ready[i % 2].arrive();
    }
  }
  y[threadIdx.x] = sum;)",
                [](int i) { return i < 32 ? 0.0F : static_cast<float>(15 * (63 - i)); });
}

TEST(DeviceBarriersTest, ThreadsThatDropAreNotExpected) {
  expect_values(R"(
  __shared__ barrier bar;
  __shared__ int count;
  if (threadIdx.x == 0) { init(&bar, blockDim.x); count = 0; }
  __syncthreads();
  for (int step = 0; step < 4; ++step) {
    if (threadIdx.x >= 16 * (4 - step)) { bar.arrive_and_drop(); break; }
    atomicAdd(&count, 1);
    bar.arrive_and_wait();
    if (threadIdx.x == 0) y[step] = count;
    bar.arrive_and_wait();
  }
  if (threadIdx.x >= 4) y[threadIdx.x] = -1;)",
                [](int i) {
                  return i >= 4 ? -1.0F : static_cast<float>(i == 0 ? 64 : i == 1 ? 112 : i == 2 ? 144 : 160);
                });
}

TEST(DeviceBarriersTest, CopiesCompleteAtTheBarrier) {
  expect_values(R"(
  __shared__ alignas(16) float by_group[64], by_thread[64], by_one[64], by_unit[64];
  __shared__ barrier bar;
  static_assert(sizeof(barrier) == 8 && alignof(barrier) == 8);
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  block.sync();
  cuda::memcpy_async(block, by_group, x, sizeof by_group, bar);
  cuda::memcpy_async(&by_thread[threadIdx.x], &x[63 - threadIdx.x], sizeof(float), bar);
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::memcpy_async(by_one, x, cuda::aligned_size_t<16>(sizeof by_one), bar);
    cuda::device::memcpy_async_tx(by_unit, x, cuda::aligned_size_t<16>(sizeof by_unit / 2), bar);
    cde::cp_async_bulk_global_to_shared(by_unit + 32, x, sizeof by_unit / 2, bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof by_unit);
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  y[threadIdx.x] = by_group[threadIdx.x] + 100 * by_thread[threadIdx.x] + 10000 * by_one[threadIdx.x] +
                   1e-2f * by_unit[threadIdx.x];)",
                [](int i) {
                  return static_cast<float>(i) + 100 * static_cast<float>(63 - i) + 10000 * static_cast<float>(i) +
                         1e-2F * static_cast<float>(i % 32);
                });
}

TEST(DeviceBarriersTest, NativeHandlesServeStatements) {
  expect_values(R"(
  __shared__ barrier bar;
  __shared__ alignas(16) float tile[64];
  if (threadIdx.x == 0) init(&bar, 1);
  __syncthreads();
  cuda::std::uint64_t* const handle = cuda::device::barrier_native_handle(bar);
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, handle, sizeof tile);
    ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, tile, x, sizeof tile, handle);
  }
  while (!ptx::mbarrier_try_wait_parity(handle, 0)) {}
  bar.wait_parity(false);
  tile[threadIdx.x] += 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, y, tile, sizeof tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  })",
                [](int i) { return static_cast<float>(i + 1); });
}

TEST(DeviceBarriersTest, ExchangesWithinClusters) {
  const std::string body = R"(
  __shared__ uint64_t full;
  __shared__ alignas(16) float mine[16], theirs[16];
  const uint32_t rank = ptx::get_sreg_cluster_ctarank(), other = rank ^ 1;
  mine[threadIdx.x] = x[blockIdx.x * 16 + threadIdx.x];
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  ptx::fence_proxy_async();
  ptx::barrier_cluster_arrive(ptx::sem_release);
  ptx::barrier_cluster_wait(ptx::sem_acquire);
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &full, sizeof mine);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::mapa(ptx::space_cluster, theirs, other), mine,
                       sizeof mine, ptx::mapa(ptx::space_cluster, &full, other));
  }
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full, 0, 1000)) {}
  y[blockIdx.x * 16 + threadIdx.x] = theirs[threadIdx.x] + 100 * ptx::get_sreg_cluster_nctarank() +
                                     (ptx::get_sreg_tid_x() == threadIdx.x ? 0.5f : 0);
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();)";
  for (const Options& options : kWays) {
    CheckedKernel kernel = kernel_of(body, options, {Expr(4)});
    kernel.cluster = {Expr(2)};
    const auto result = kernel();
    ASSERT_TRUE(result.ok()) << result.error().explain();
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ((*result)[static_cast<std::size_t>(i)], static_cast<float>(i ^ 16) + 200.5F) << i;
  }
}

TEST(DeviceBarriersTest, TensorMapsServeBothLibraries) {
  const std::string source = std::string("#include <cuda.h>\n") + kHeaders + R"(
__global__ void k(const __grid_constant__ CUtensorMap map, float* y) {
  __shared__ alignas(128) float tile[4][32], other[4][32];
  __shared__ barrier bar;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, 32, 4, bar);
    const int place[] = {0, 2};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &other, &map, place,
                              cuda::device::barrier_native_handle(bar));
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile + sizeof other);
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  for (int i = threadIdx.x; i < 128; i += 64) {
    y[i] = tile[i / 32][i % 32];
    tile[i / 32][i % 32] += other[i / 32][i % 32];
  }
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_shared_to_global(&map, 0, 0, &tile);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
})";
  for (const Options& options : kWays) {
    ProgramBuilder builder("sample");
    builder.buffer("x", BufferParam{dtype::kFloat32, {8, 64}}).buffer("y", BufferParam{dtype::kFloat32, {128}});
    builder.variant("cuda")
        .source("k.cu", source)
        .tensor_map({.name = "map", .base = {"x"}, .dims = {64, 8}, .strides_bytes = {256}, .mode = TiledMap{{32, 4}}});
    builder.launch("k").grid({1}).block({64}).args({"map", "y"});
    const auto program = builder.build();
    ASSERT_TRUE(program.ok()) << program.error().explain();
    auto loaded = common_bench().load(*program, options);
    ASSERT_TRUE(loaded.ok()) << loaded.error().explain();
    std::vector<float> x(512), y(128);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
    const Status done = (*loaded)({slot(x.data()), slot(y.data())});
    ASSERT_TRUE(done.ok()) << done.error().explain();
    for (std::size_t i = 0; i < 128; ++i) {
      const std::size_t row = i / 32, column = i % 32, from = (row + 4) * 64 + 32 + column;
      EXPECT_EQ(y[i], static_cast<float>(from));
      EXPECT_EQ(x[row * 64 + column], static_cast<float>(from + (row + 2) * 64 + column));
    }
  }
}

std::string failure_of(const std::string& body, const Options& options = {}) {
  const auto result = kernel_of(body, options)();
  return result.ok() ? "it worked" : result.error().explain();
}

TEST(DeviceBarriersTest, MissingArrivalsAreReported) {
  const std::string body = R"(
  __shared__ barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x + 1);
  __syncthreads();
  bar.arrive_and_wait();
  y[threadIdx.x] = 1;)";
  for (const Options& options : kWays) EXPECT_THAT(failure_of(body, options), HasSubstr("mbarrier"));
}

TEST(DeviceBarriersTest, CheckFindsReadsBeforeTheWait) {
  EXPECT_THAT(failure_of(R"(
  __shared__ barrier bar;
  __shared__ float a[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  a[threadIdx.x] = 1;
  auto token = bar.arrive();
  y[threadIdx.x] = a[63 - threadIdx.x];
  bar.wait(std::move(token));)",
                         {{"check", "on"}}),
              AllOf(HasSubstr("\"a\""), HasSubstr("k.cu:")));
}

TEST(DeviceBarriersTest, RejectsOtherBarriersByName) {
  EXPECT_THAT(
      failure_of("  __shared__ cuda::barrier<cuda::thread_scope_device> b;\n  init(&b, 1);"),
      AllOf(HasSubstr("not for this processor (a cuda::barrier of threads of several blocks)"), HasSubstr("k.cu:9")));
  EXPECT_THAT(failure_of("  struct F { void operator()() {} };\n"
                         "  __shared__ cuda::barrier<cuda::thread_scope_block, F> b;\n  init(&b, 1);"),
              HasSubstr("not for this processor (a cuda::barrier with a completion function)"));
}

}  // namespace
}  // namespace kmux::cpu::device_barriers
