#include "grid_program.h"

#include <vector>

#include "kmux/builder.h"

namespace kmux {
namespace {

constexpr std::int64_t kBlocks = 4000;
constexpr std::int64_t kThreads = 64;

constexpr const char* kCounting = R"(
__global__ void counting_on_grid(int* y) {
  __shared__ int count[64];
  count[threadIdx.x] = blockIdx.x;
  for (int i = 0; i < 200; ++i) {
    __syncthreads();
    const int other = count[63 - threadIdx.x];
    __syncthreads();
    count[threadIdx.x] = other > i ? other : count[threadIdx.x];
  }
  y[blockIdx.x * 64 + threadIdx.x] = blockIdx.x;
  if (count[threadIdx.x] != blockIdx.x) y[0] = -1;
}
)";

}  // namespace

Program counting_on_grid() {
  ProgramBuilder builder("counting_on_grid");
  builder.output("Y", dtype::kInt32, {kBlocks * kThreads});
  builder.variant("cuda").source("counting.cu", kCounting);
  builder.launch("counting_on_grid").grid({kBlocks}).block({kThreads}).args({"Y"});
  return builder.build().value();
}

Status call_counting(const Kernel& kernel) {
  std::vector<std::int32_t> y(kBlocks * kThreads, -1);
  KMUX_TRY(kernel.launch({Tensor::borrow(y.data(), {kBlocks * kThreads}, dtype::kInt32)}));
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] != static_cast<std::int32_t>(i / kThreads)) return make_error(ErrorCode::kInternal, "wrong result");
  }
  return Ok{};
}

}  // namespace kmux
