// Kernels whose sources require a cluster (__cluster_dims__), launched with and without one.
#include <gmock/gmock.h>

#include "checked_kernel.h"

namespace kmux::cpu::cluster_dims {
namespace {

const Options kWays[] = {{{"tier", "full"}}, {{"tier", "fast"}}, {{"check", "on"}}};

// Each block adds what the next block of its cluster has in shared memory.
constexpr const char* kNeighbours = R"(#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(16) k(const float* x, float* y, int n) {
  __shared__ float mine[16];
  cg::cluster_group cluster = cg::this_cluster();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  mine[threadIdx.x] = x[i];
  cluster.sync();
  const float* const theirs = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  y[i] = 100 * cluster.num_blocks() + x[i] + theirs[threadIdx.x];
  cluster.sync();
})";

CheckedKernel neighbours(const Options& options, std::vector<Expr> cluster = {}, int blocks = 4) {
  return {.source = kNeighbours,
          .block = {Expr(16)},
          .grid = {Expr(std::int64_t{blocks})},
          .options = options,
          .cluster = std::move(cluster)};
}

TEST(DeviceClusterDimsTest, LaunchTakesClusterOfSource) {
  for (const Options& options : kWays) {
    for (const std::vector<Expr>& cluster : {std::vector<Expr>{}, std::vector<Expr>{Expr(2)}}) {
      const auto result = neighbours(options, cluster)();
      ASSERT_TRUE(result.ok()) << result.error().explain();
      for (int i = 0; i < 64; ++i)
        EXPECT_EQ((*result)[static_cast<std::size_t>(i)], static_cast<float>(200 + i + (i ^ 16))) << i;
    }
  }
}

TEST(DeviceClusterDimsTest, RejectsOtherClusterOfLaunch) {
  for (const Options& options : kWays) {
    for (const auto& [extent, text] : {std::pair{4, "(4, 1, 1)"}, std::pair{1, "(1, 1, 1)"}}) {
      const auto result = neighbours(options, {Expr(std::int64_t{extent})})();
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
      EXPECT_THAT(result.error().message,
                  HasSubstr("a cluster of " + std::string(text) +
                            " blocks differs from that of kernel \"k\" (its "
                            "__cluster_dims__ has (2, 1, 1)). Leave the cluster of the launch out, or give it the "
                            "same."));
    }
  }
}

TEST(DeviceClusterDimsTest, RejectsIndivisibleGrid) {
  for (const Options& options : kWays) {
    const auto result = neighbours(options, {}, 3)();
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(result.error().message,
                HasSubstr("a grid of (3, 1, 1) blocks is not a multiple of the cluster of kernel \"k\""));
  }
}

TEST(DeviceClusterDimsTest, VectorizedKernelReadsClusterOfSource) {
  for (const Options& options : kWays) {
    const CheckedKernel kernel{.source = R"(
template <int x, int y>
__global__ void __cluster_dims__(x, y) general(const float* in, float* out, int n) {
  unsigned width, height, depth, blocks;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(width));
  asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(height));
  asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(depth));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = 1000 * depth + 100 * width + 10 * height + blocks;
}
__global__ void __cluster_dims__(8) unused(float* y) { y[0] = 1; }
template __global__ void general<4, 2>(const float*, float*, int);
__global__ __cluster_dims__(4, 2, 1) void k(const float* in, float* out, int n) {
  unsigned width, blocks;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(width));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = 10 * width + blocks;
})",
                               .block = {Expr(8)},
                               .grid = {Expr(4), Expr(2)},
                               .options = options};
    Workbench bench;
    const auto result = kernel(bench);
    ASSERT_TRUE(result.ok()) << result.error().explain();
    EXPECT_THAT(*result, testing::Each(48.0F));
    EXPECT_THAT(bench.host.log, testing::Not(HasSubstr("which is slow")));
  }
}

TEST(DeviceClusterDimsTest, KernelTakesStructureBesideCluster) {
  ProgramBuilder builder("sample");
  builder.pointer("y");
  builder.scalar("a", dtype::kInt32);
  builder.scalar("b", dtype::kFloat32);
  builder.variant("cuda").source("k.cu", R"(
struct Pair { int a; float b; };
template <int blocks> __global__ void __cluster_dims__(blocks) k(Pair pair, float* y) {
  unsigned width;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(width));
  y[blockIdx.x] = pair.a + pair.b + width;
})");
  builder.launch("k<2>").grid({Expr(4)}).block({Expr(1)}).struct_arg({"a", "b"}).args({"y"});
  const auto program = builder.build();
  ASSERT_TRUE(program.ok()) << program.error().explain();
  auto loaded = common_bench().load(*program);
  ASSERT_TRUE(loaded.ok()) << loaded.error().explain();
  std::vector<float> y(4);
  ASSERT_TRUE((*loaded)({slot(y.data()), slot(std::int64_t{10}), bits(std::bit_cast<std::uint32_t>(0.5F))}).ok());
  EXPECT_THAT(y, testing::Each(12.5F));
}

}  // namespace
}  // namespace kmux::cpu::cluster_dims
