// Units of a GPU that work beside threads: mbarrier, named barriers, clusters, and asynchronous copies.
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "checked_kernel.h"
#include "unit_kernels.h"

namespace kmux::cpu {
namespace {

using testing::Not;

struct UnitKernel {
  std::string body;
  unsigned block = 64;
  unsigned grid = 1;
  std::vector<Expr> cluster = {};
};

CheckedKernel kernel_of(const UnitKernel& kernel, const Options& options) {
  return {.source = kUnits + ("__global__ void k(const float* x, float* y, int n) {\n" + kernel.body + "\n}\n"),
          .block = {Expr(std::int64_t{kernel.block})},
          .grid = {Expr(std::int64_t{kernel.grid})},
          .options = options,
          .cluster = kernel.cluster};
}

// Expects y[i] == expected(i), on fibers, checked, and in three other orders of threads. x[i] is i.
void expect_values(const UnitKernel& kernel, const std::function<float(int)>& expected) {
  for (const Options& options :
       {Options{}, Options{{"tier", "fast"}}, Options{{"check", "on"}}, Options{{"check", "on"}, {"check_seed", "1"}},
        Options{{"check", "on"}, {"check_seed", "2"}}, Options{{"check", "on"}, {"check_seed", "3"}}}) {
    const auto result = kernel_of(kernel, options)();
    ASSERT_TRUE(result.ok()) << result.error().explain() << "\n" << kernel.body;
    for (int i = 0; i < CheckedKernel::kElements; ++i)
      ASSERT_EQ((*result)[static_cast<std::size_t>(i)], expected(i)) << i << " of " << kernel.body;
  }
}

// Returns the error of the launch, unchecked and checked.
std::vector<std::string> failures_of(const UnitKernel& kernel) {
  std::vector<std::string> messages;
  for (const Options& options : {Options{}, Options{{"check", "on"}}}) {
    const auto result = kernel_of(kernel, options)();
    messages.push_back(result.ok() ? "it ran" : result.error().message);
    EXPECT_EQ(result.ok() ? ErrorCode::kOk : result.error().code, ErrorCode::kLaunchFailed) << messages.back();
  }
  return messages;
}

TEST(DeviceUnitsTest, ProducerAndConsumersTakeTurns) {
  expect_values({.body = R"(
  __shared__ alignas(16) float tile[2][32];
  __shared__ unsigned long long full[2], empty[2];
  const int t = threadIdx.x;
  if (t == 0) for (int s = 0; s < 2; ++s) init(&full[s], 1), init(&empty[s], 32);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  if (t == 32) {  // one thread produces 4 tiles of x, twice
    for (int i = 0; i < 4; ++i) {
      wait(&empty[i % 2], i / 2 % 2 ^ 1);
      expect(&full[i % 2], 128);
      load(tile[i % 2], x + 32 * (i % 2), 128, &full[i % 2]);
    }
  } else if (t < 32) {
    float sum = 0;
    for (int i = 0; i < 4; ++i) {
      wait(&full[i % 2], i / 2 % 2);
      sum += (i + 1) * tile[i % 2][31 - t];
      arrive(&empty[i % 2]);
    }
    y[t] = sum;
    y[t + 32] = -sum;
  })"},
                [](int i) {
                  const int t = i % 32;
                  const float sum = static_cast<float>((1 + 3) * (31 - t) + (2 + 4) * (63 - t));
                  return i < 32 ? sum : -sum;
                });
}

TEST(DeviceUnitsTest, MbarriersHaveStatesAndCounts) {
  expect_values({.body = R"(
  __shared__ unsigned long long b;
  const int t = threadIdx.x;
  if (t == 0) init(&b, 64);
  __syncthreads();
  unsigned long long state;
  unsigned left, done = 0;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(&b)) : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(state));
  while (!done) {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(shared_address(&b)), "l"(state) : "memory");
  }
  const bool first = test(&b, 0), second = test(&b, 1);
  __syncthreads();
  if (t == 0) {
    asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(shared_address(&b)) : "memory");
    init(&b, 2);
    asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" :: "r"(shared_address(&b)) : "memory");
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;" :: "r"(shared_address(&b)) : "memory");
    arrive(&b);
    const bool before = test(&b, 0);
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 16;" :: "r"(shared_address(&b)) : "memory");
    arrive(&b);  // the second phase expects one arrival
    y[0] = before + 10 * !test(&b, 0) + 100 * test(&b, 1);
  } else {
    y[t] = (left >= 1 && left <= 64) + 10 * first + 100 * second;
  })"},
                [](int i) { return i == 0 ? 110.0F : 11.0F; });
}

TEST(DeviceUnitsTest, NamedBarriersCountThreads) {
  expect_values({.body = R"(
  __shared__ float a[64];
  const int t = threadIdx.x, role = t / 32;
  if (role == 0) {
    a[t] = 2 * t;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    asm volatile("barrier.cta.sync 2, %0;" :: "r"(64) : "memory");
    y[t] = a[t + 32];
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    const float other = a[t - 32];
    a[t] = other + 1;
    asm volatile("bar.sync 3, 32;" ::: "memory");
    y[t] = a[32 + (t + 1) % 32] + other;
    asm volatile("bar.arrive 2, 64;" ::: "memory");
  })"},
                [](int i) { return static_cast<float>(i < 32 ? 2 * i + 1 : 2 * ((i + 1) % 32) + 1 + 2 * (i - 32)); });
}

TEST(DeviceUnitsTest, BarriersReduce) {
  expect_values({.body = R"(
  const int t = threadIdx.x;
  unsigned count, all, any;
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 40; bar.red.popc.u32 %0, 0, p; }" : "=r"(count) : "r"(t) : "memory");
  asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 40; barrier.cta.red.and.pred q, 1, 64, p; selp.u32 %0, 1, 0, q; }"
               : "=r"(all) : "r"(t) : "memory");
  asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 40; bar.red.or.pred q, 2, 64, p; selp.u32 %0, 1, 0, q; }"
               : "=r"(any) : "r"(t) : "memory");
  y[t] = count + 100 * all + 1000 * any;)"},
                [](int) { return 1040.0F; });
}

// Threads of a warp that end do not keep those at a barrier of the block.
TEST(DeviceUnitsTest, BarriersDoNotWaitForEndedThreads) {
  expect_values({.body = R"(
  const int t = threadIdx.x;
  y[t] = 1;
  if (t >= 32) return;
  asm volatile("bar.sync 5;" ::: "memory");
  y[t] = 2;)"},
                [](int i) { return i < 32 ? 2.0F : 1.0F; });
}

TEST(DeviceUnitsTest, SmallCopiesFillWithZeros) {
  const UnitKernel kernel{.body = R"(
  __shared__ alignas(16) float tile[128];
  const int t = threadIdx.x;
  const unsigned to = shared_address(&tile[4 * (t % 16)]);
  if (t < 16) {
    const int given = t < 8 ? 16 : t < 12 ? t - 4 : 0;
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" :: "r"(to), "l"(x + 4 * t), "r"(given) : "memory");
  } else if (t < 32) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to + 256), "l"(x + t) : "memory");
  }
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;\ncp.async.wait_all;" ::: "memory");
  __syncthreads();
  y[t] = tile[t];
  if (t < 16) y[t] += 1000 * tile[64 + 4 * t];)"};
  const auto expected = [](int i) {
    float value = static_cast<float>(i);
    if (i >= 32) value = i >= 48 || i % 4 >= (i / 4 - 4) / 4 ? 0 : value;
    return value + (i < 16 ? 1000.0F * static_cast<float>(16 + i) : 0);
  };
  // 4 to 7 bytes of an element: the last is cut, so only whole ones are compared.
  for (const Options& options : {Options{}, Options{{"check", "on"}}}) {
    Workbench bench;
    const auto result = kernel_of(kernel, options)(bench);
    ASSERT_TRUE(result.ok()) << result.error().explain();
    for (int i = 0; i < 64; ++i) {
      if (i / 4 >= 9 && i / 4 < 12 && i % 4 == 1) continue;
      EXPECT_EQ((*result)[static_cast<std::size_t>(i)], expected(i)) << i;
    }
    EXPECT_THAT(bench.host.log, Not(HasSubstr("which is slow")));
  }
}

TEST(DeviceUnitsTest, ArrivalsOfCopiesAreCountedOrAdded) {
  expect_values({.body = R"(
  __shared__ unsigned long long b;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  if (t == 0) init(&b, 64);
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(shared_address(&tile[t])), "l"(x + 63 - t) : "memory");
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" :: "r"(shared_address(&b)) : "memory");
  const bool early = test(&b, 0);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(shared_address(&b)) : "memory");
  wait(&b, 0);
  y[t] = tile[63 - t] + (t == 0 && early ? 1000 : 0);)"},
                [](int i) { return static_cast<float>(i); });
}

TEST(DeviceUnitsTest, BulkCopiesStoreAndReduce) {
  expect_values({.body = R"(
  __shared__ alignas(16) float tile[64];
  const int t = threadIdx.x;
  tile[t] = x[t] + 1;
  y[t] = 100;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" :: "l"(y), "r"(shared_address(tile)) : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 128;"
                 :: "l"(y + 32), "r"(shared_address(tile + 32)) : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
  })"},
                [](int i) { return static_cast<float>(i + 1 + (i < 32 ? 0 : 100)); });
}

constexpr const char* kCluster = R"(
  unsigned rank, blocks;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
)";

TEST(DeviceUnitsTest, BlocksOfAClusterShareMemory) {
  expect_values({.body = std::string(kCluster) + R"(
  __shared__ float own[16];
  const int t = threadIdx.x;
  own[t] = x[16 * blockIdx.x + t];
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  unsigned peer, of;
  float value, *generic;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(peer) : "r"(shared_address(&own[15 - t])), "r"((rank + 1) % blocks));
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(of) : "r"(peer));
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(peer) : "memory");
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(own), "r"(of));
  y[16 * blockIdx.x + t] = value + 100 * (*generic == x[16 * (blockIdx.x ^ 1)]) + 1000 * of;
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");)",
                 .block = 16,
                 .grid = 4,
                 .cluster = {Expr(2)}},
                [](int i) {
                  const int other = i / 16 ^ 1;
                  return static_cast<float>(16 * other + 15 - i % 16 + 100 + 1000 * (other % 2));
                });
}

TEST(DeviceUnitsTest, RemoteArrivalsAndMulticast) {
  expect_values({.body = std::string(kCluster) + R"(
  __shared__ alignas(16) float tile[16];
  __shared__ unsigned long long full, empty;
  const int t = threadIdx.x;
  if (t == 0) init(&full, 1), init(&empty, 2 * 16);
  asm volatile("fence.mbarrier_init.release.cluster;\nbarrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;" ::: "memory");
  for (int i = 0; i < 2; ++i) {
    if (t == 0) {
      if (i > 0 && rank == 0) wait(&empty, 0);
      expect(&full, 64);
      if (rank == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 64, [%2], %3;"
                     :: "r"(shared_address(tile)), "l"(x + 16 * i), "r"(shared_address(&full)), "h"((unsigned short)3) : "memory");
    }
    wait(&full, i);
    y[32 * i + 16 * rank + t] = tile[t] + 100 * rank;
    asm volatile("{ .reg .b32 a; mapa.shared::cluster.u32 a, %0, 0; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a]; }"
                 :: "r"(shared_address(&empty)) : "memory");
  }
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");)",
                 .block = 16,
                 .grid = 2,
                 .cluster = {Expr(2)}},
                [](int i) { return static_cast<float>(16 * (i / 32) + i % 16 + 100 * (i / 16 % 2)); });
}

TEST(DeviceUnitsTest, IndicesOfClustersAreReadInVectors) {
  Workbench bench;
  const auto result = kernel_of({.body = std::string(kCluster) + R"(
  unsigned cluster, clusters;
  asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(cluster));
  asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(clusters));
  y[16 * blockIdx.x + threadIdx.x] = rank + 10 * blocks + 100 * cluster + 1000 * clusters;)",
                                 .block = 16,
                                 .grid = 4,
                                 .cluster = {Expr(2)}},
                                {})(bench);
  ASSERT_TRUE(result.ok()) << result.error().explain();
  EXPECT_THAT(bench.host.log, Not(HasSubstr("which is slow")));
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ((*result)[static_cast<std::size_t>(i)], static_cast<float>(i / 16 % 2 + 20 + 100 * (i / 32) + 2000));
}

// Blocks that wait for later ones get them: each block waits for the next one.
TEST(DeviceUnitsTest, LaterBlocksBeginWhenEarlierOnesPoll) {
  expect_values({.body = R"(
  __shared__ unsigned long long b;
  if (threadIdx.x == 0) init(&b, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned seen = 0;
    while (seen == 0 && blockIdx.x < 3)
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(n + (unsigned*)y - n + 16 * (blockIdx.x + 1)) : "memory");
  }
  if (threadIdx.x == 0) arrive(&b);
  wait(&b, 0);
  __syncthreads();
  y[16 * blockIdx.x + threadIdx.x] = blockIdx.x + 1;)",
                 .block = 16,
                 .grid = 4},
                [](int i) { return static_cast<float>(i / 16 + 1); });
}

TEST(DeviceUnitsTest, DeadlocksAreToldByRole) {
  const auto failures = failures_of({.body = R"(
  __shared__ unsigned long long full;
  if (threadIdx.x == 0) init(&full, 2);
  __syncthreads();
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) expect(&full, 128);
    wait(&full, 0);
  } else {
    asm volatile("bar.sync 4, 64;" ::: "memory");
  })"});
  for (const std::string& message : failures) {
    EXPECT_THAT(message,
                AllOf(HasSubstr("kernel \"k\" never ends: all of its threads wait (block (0, 0, 0): threads 0 to "
                                "31 wait for the mbarrier at byte "),
                      HasSubstr("of shared memory, parity 0 (1 of 2 arrivals missing, 128 bytes missing)"),
                      HasSubstr("threads 32 to 63 wait at barrier 4 (32 of 64 arrivals missing)")));
  }
  EXPECT_THAT(failures[1], HasSubstr(" at k.cu:"));
}

TEST(DeviceUnitsTest, MisusedMbarriersFailTheLaunch) {
  for (const auto& [body, message] : std::vector<std::pair<std::string, std::string>>{
           {"arrive(&b);", "is not initialised"},
           {"init(&b, 0);", "an mbarrier is initialised with 0 arrivals"},
           {"init(&b, 1); arrive(&b); asm volatile(\"mbarrier.arrive.shared.b64 _, [%0], 2;\" :: "
            "\"r\"(shared_address(&b)));",
            "an mbarrier gets more arrivals than its count (2 where 1 of 1 are missing"},
           {"init(&b, 1); asm volatile(\"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 1048576;\" :: "
            "\"r\"(shared_address(&b)));",
            "an mbarrier counts 1048576 bytes"},
           {"asm volatile(\"barrier.cluster.wait;\" ::: \"memory\");", "before it arrives there"},
           {"asm volatile(\"bar.sync 16, 64;\" ::: \"memory\");", "there are barriers 0 to 15"},
           {"{ unsigned a; asm volatile(\"mapa.shared::cluster.u32 %0, %1, 1;\" : \"=r\"(a) : "
            "\"r\"(shared_address(&b))); y[0] = a; }",
            "no block 1 of the cluster has that shared memory (a cluster of 1)"},
           {"init(&b, 1); load(&b, x + 1, 16, &b);", "a bulk copy of 16 bytes"}}) {
    for (const std::string& failure : failures_of(
             {.body = "__shared__ alignas(16) unsigned long long b;\nif (threadIdx.x == 0) { b = 0; " + body + " }"}))
      EXPECT_THAT(failure, HasSubstr(message)) << body;
  }
}

TEST(DeviceUnitsTest, ClustersMustDivideTheGrid) {
  for (const auto& [grid, cluster, reason] :
       {std::tuple{3U, 2, "the grid is not a multiple"}, std::tuple{32U, 32, "there are at most 16"}}) {
    const UnitKernel kernel{.body = "asm volatile(\"barrier.cluster.arrive;\\nbarrier.cluster.wait;\" ::: \"memory\");",
                            .block = 2,
                            .grid = grid,
                            .cluster = {Expr(std::int64_t{cluster})}};
    const auto result = kernel_of(kernel, {})();
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument) << result.error().explain();
    EXPECT_THAT(result.error().message, HasSubstr(reason));
  }
}

}  // namespace
}  // namespace kmux::cpu
