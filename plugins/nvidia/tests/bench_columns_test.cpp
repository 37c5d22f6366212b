// The columns of kmux bench that come from compiled code.
#include <algorithm>
#include <chrono>

#include "kmux/bench/bench.h"
#include "kmux/kernel_attributes.h"

#include "over_fake.h"

namespace kmux::nvidia {
namespace {

using bench::Column;

KMUX_OVER_FAKE(BenchColumnsTest);

// The first kernel has the most shared memory, the second one the most local memory.
constexpr const char* kTwoKernels = R"(
extern "C" __global__ void tile(float* x) {
  __shared__ float tile[6144];
  for (int i = threadIdx.x; i < 6144; i += 64) tile[i] = x[i & 127];
  __syncthreads();
  x[threadIdx.x] = tile[6143 - threadIdx.x];
}
extern "C" __global__ void arrays(float* x) {
  float values[32];
  for (int i = 0; i < 32; ++i) values[(i * threadIdx.x) & 31] = x[i];
  x[threadIdx.x] = values[int(x[threadIdx.x]) & 31];
}
)";

TEST_P(BenchColumnsTest, ReportMaximumResourcesAndMinimumOccupancy) {
  ProgramBuilder builder = program_of("two", kTwoKernels);
  builder.launch("arrays").grid({1}).block({32}).args({"x"});
  builder.launch("tile").grid({1}).block({64}).args({"x"});
  builder.metadata({.symbols = {{"n", 128}}});
  const Program program = builder.build().value();
  bench::BenchOptions options{.backends = {GetParam()}, .repetitions = 1};
  options.stop.time = std::chrono::milliseconds(1);
  options.stop.warm_up = 0;
  options.compile.target = "cuda:sm_90a";
  const bench::BenchReport report = bench::bench(*runtime, {&program, 1}, options).value();
  const bench::Entrant& entrant = report.contests.at(0).entrants.at(0);
  ASSERT_EQ(entrant.state, bench::EntrantState::kTimed) << entrant.problem;
  const auto column = [&](Column one) { return entrant.columns.at(one).samples; };

  const auto kernels = attributes(compiled(builder)).value();
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_GT(kernels[0].local_bytes, 0) << kernels[0].to_string();
  EXPECT_EQ(kernels[1].local_bytes, 0) << kernels[1].to_string();
  EXPECT_EQ(column(Column::kRegisters),
            std::vector<double>{static_cast<double>(std::max(kernels[0].registers, kernels[1].registers))});
  EXPECT_EQ(column(Column::kLocalMemory), std::vector<double>{static_cast<double>(kernels[0].local_bytes)});
  EXPECT_EQ(column(Column::kSharedMemory), std::vector<double>{24576});
  EXPECT_EQ(column(Column::kOccupancy), std::vector<double>{28.125}) << "9 blocks of 64 threads; 32 of 32 are 50 %";
}

}  // namespace
}  // namespace kmux::nvidia
