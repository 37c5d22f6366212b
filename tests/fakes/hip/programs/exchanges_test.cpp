// Barriers, shared memory, exchange within wavefronts and atomics in one kernel, launched small and large: launches of
// many threads run code specialised for their block extents.
#include "hip_programs.h"

namespace kmux {
namespace {

using testing::Each;

class ExchangesTest : public HipPrograms {
 protected:
  static constexpr int kBlock = 256;

  // y[b]: the sum of block b of x; total: the sum of all; votes: the number of odd elements of x.
  static ProgramBuilder sums() {
    ProgramBuilder builder("sums");
    const Expr n = builder.symbol("n");
    builder.buffer("x", BufferParam{dtype::kInt32, {n}});
    builder.buffer("y", BufferParam{dtype::kInt32, {ceildiv(n, kBlock)}});
    builder.buffer("total", BufferParam{dtype::kInt32, {2}});
    with_source(builder, R"(
extern "C" __global__ void sums(const int* x, int* y, int* total, int n) {
  __shared__ int parts[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % warpSize, wavefront = threadIdx.x / warpSize;
  int sum = i < n ? x[i] : 0;
  const int odd = __popcll(__ballot(sum & 1));
  for (int delta = warpSize / 2; delta > 0; delta /= 2) sum += __shfl_down(sum, delta);
  if (lane == 0) {
    parts[wavefront] = sum;
    atomicAdd(&total[1], odd);
  }
  __syncthreads();
  if (wavefront > 0) return;
  sum = lane < blockDim.x / warpSize ? parts[lane] : 0;
  for (int delta = warpSize / 2; delta > 0; delta /= 2) sum += __shfl_xor(sum, delta);
  if (lane > 0) return;
  y[blockIdx.x] = sum;
  atomicAdd(&total[0], sum);
}
)");
    builder.body().fill("total", 8);
    builder.launch("sums").grid({ceildiv(n, kBlock)}).block({kBlock}).args({"x", "y", "total"}).arg(n);
    return builder;
  }

  static void check(const Kernel& kernel, std::int64_t n) {
    std::vector<int> x(static_cast<std::size_t>(n)), expected(static_cast<std::size_t>((n + kBlock - 1) / kBlock)),
        totals(2);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<int>(i * 37 % 251) - 100;
      expected[i / kBlock] += x[i];
      totals[0] += x[i];
      totals[1] += x[i] & 1;
    }
    const auto blocks = static_cast<std::int64_t>(expected.size());
    const Tensor y = poisoned(kernel, {blocks}, dtype::kInt32), total = poisoned(kernel, {2}, dtype::kInt32);
    run(kernel, {uploaded(kernel, {n}, x), y, total});
    EXPECT_EQ(downloaded<int>(y), expected) << n;
    EXPECT_EQ(downloaded<int>(total), totals) << n;
  }
};

TEST_F(ExchangesTest, BlockSumsAreCorrectForAnySize) {
  const Kernel kernel = compiled(sums());
  for (const std::int64_t n : {1, 77, 1000, 70'000, 1 << 20}) check(kernel, n);
}

// All launches share one instance, whatever their number of threads.
TEST_F(ExchangesTest, DeviceVariableOutlivesLaunches) {
  ProgramBuilder builder("count");
  builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kInt32, {Expr::symbol("n")}});
  with_source(builder, R"(
__device__ int launched;
extern "C" __global__ void count() { atomicAdd(&launched, 1); }
extern "C" __global__ void read(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = launched;
}
)");
  builder.launch("count").grid({2}).block({kBlock});
  builder.launch("read").grid({ceildiv(Expr::symbol("n"), kBlock)}).block({kBlock}).args({"x"}).arg(Expr::symbol("n"));
  const Kernel kernel = compiled(builder);
  for (const int launches : {1, 2}) {
    const Tensor x = poisoned(kernel, {100'000}, dtype::kInt32);
    run(kernel, {x});
    EXPECT_THAT(downloaded<int>(x), Each(launches * 2 * kBlock));
  }
}

}  // namespace
}  // namespace kmux
