#include "kernels/grid_code.h"

#include <numeric>

#include <gmock/gmock.h>

namespace kmux::fakes {
namespace {

using testing::HasSubstr;

// Returns kernel `k`, which runs `body` with `x`, its only argument, and `i`, the number of the thread.
GridSource source_of(const std::string& body, std::vector<std::string> defines = {}) {
  const std::string call = "k((int*)launch->arguments[0])";
  return {
      "#include \"kmux_blocks.h\"\n__device__ void k(int* x) {\n  const int i = blockIdx.x * blockDim.x + "
      "threadIdx.x;\n  " +
          body + "\n}\nKMUX_GRID_KERNEL(kernel, " + call + ")\n",
      {},
      {"kernel"},
      std::move(defines)};
}

std::unique_ptr<GridCode> loaded(const GridSource& source) {
  return GridCode::load(GridCode::compile(source).value()).value();
}

GridFault launch(GridCode& code, const GridExtents& extents, int* x) {
  void* const arguments[] = {x};
  return code.launch(0, extents, arguments).value();
}

TEST(GridCodeTest, RunsBlocksOfAnySize) {
  const auto code = loaded(source_of("x[i] = i * 2;"));
  for (const unsigned block : {1, 50, 64, 1024}) {
    std::vector<int> x(std::size_t{block} * 100), expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) expected[i] = static_cast<int>(i) * 2;
    EXPECT_EQ(launch(*code, {{100, 1, 1}, {block, 1, 1}}, x.data()), GridFault::kNone);
    EXPECT_EQ(x, expected) << block;
  }
}

TEST(GridCodeTest, AtomicsAreCorrectAcrossBlocks) {
  const auto code = loaded(source_of("atomicAdd(&x[i % 7], 1);"));
  std::vector<int> x(7);
  EXPECT_EQ(launch(*code, {{1000, 1, 1}, {1024, 1, 1}}, x.data()), GridFault::kNone);
  EXPECT_EQ(std::accumulate(x.begin(), x.end(), 0), 1'024'000);
}

TEST(GridCodeTest, ErrorsReportUserLines) {
  const auto broken = GridCode::compile(source_of("x[i] = nowhere;"));
  EXPECT_EQ(broken.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(broken.error().explain(), HasSubstr("unit.hip:4"));
}

TEST(GridCodeTest, FillsDynamicSharedMemoryAndDetectsOverrun) {
  const auto code = loaded(source_of(R"(
  extern __shared__ int s[];
  if (i == 0) x[1] = s[3];
  s[x[0]] = 1;)",
                                     {"KMUX_HAS_DYNAMIC"}));
  int x[] = {3, 0};
  EXPECT_EQ(launch(*code, {{1, 1, 1}, {64, 1, 1}, 16}, x), GridFault::kNone);
  EXPECT_EQ(static_cast<unsigned>(x[1]), 0xa5a5a5a5U);
  x[0] = 4;
  EXPECT_EQ(launch(*code, {{1, 1, 1}, {64, 1, 1}, 16}, x), GridFault::kOverrun);
}

// Barriers do not wait for threads that have ended; threads that wait at a different barrier deadlock.
TEST(GridCodeTest, DetectsBarrierDeadlock) {
  const auto code = loaded(source_of(R"(
  if (threadIdx.x < x[0]) {
    kmux_waits_for_block();
    kmux_barrier();
  } else if (threadIdx.x < x[1]) {
    kmux_waits_for_warp();
    x[2 + threadIdx.x] = __shfl(i, 0);
  })",
                                     {"KMUX_HAS_MEETINGS"}));
  const auto with = [&](int block, int warp) {
    std::vector<int> x(2 + 96);
    x[0] = block;
    x[1] = warp;
    return launch(*code, {{3, 1, 1}, {96, 1, 1}}, x.data());
  };
  EXPECT_EQ(with(96, 0), GridFault::kNone);
  EXPECT_EQ(with(32, 0), GridFault::kNone);
  EXPECT_EQ(with(5, 0), GridFault::kNone);
  EXPECT_EQ(with(0, 50), GridFault::kNone);
  EXPECT_EQ(with(5, 6), GridFault::kDeadlock);
  EXPECT_EQ(with(64, 96), GridFault::kNone);  // of different warps
  EXPECT_EQ(with(70, 96), GridFault::kDeadlock);
}

TEST(GridCodeTest, RejectsInvalidCode) {
  const auto refused = GridCode::load("nothing");
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kmux::fakes
