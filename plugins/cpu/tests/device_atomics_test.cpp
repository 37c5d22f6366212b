// Atomics on all of CUDA's types, checked by results that are independent of thread order.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>

#include "device_call.h"

namespace kmux::cpu::device_atomics {
namespace {

using Wide = std::vector<std::uint64_t>;

constexpr std::uint32_t kCount = 250;

std::vector<std::uint32_t> numbers() {
  std::vector<std::uint32_t> x(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) x[i] = (i * 37) % 101 + 1;
  return x;
}

Wide cells(const std::string& body, unsigned block = 48) {
  return elements<std::uint64_t>(
      {"#include <cuda/atomic>\n__global__ void k(const unsigned* x, unsigned long long* y, int n) {\n"
       "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
       "  if (i >= n) return;\n  const unsigned v = x[i];\n" +
           body + "}\n",
       block},
      numbers());
}

std::uint64_t total() {
  const auto x = numbers();
  return std::accumulate(x.begin(), x.end(), std::uint64_t{0});
}

TEST(DeviceAtomicsTest, AddAndSubtractInEveryType) {
  const Wide y = cells(R"(  atomicAdd((int*)&y[0], -(int)v);
  atomicAdd((unsigned*)&y[1], v);
  atomicAdd((long long*)&y[2], -((long long)v << 20));
  atomicAdd(&y[3], v);
  atomicAdd((float*)&y[4], 1);
  atomicAdd_system((double*)&y[5], v);
  atomicSub((int*)&y[6], v);
  atomicSub_block((unsigned*)&y[7], v);
  atomicAdd_block((unsigned*)&y[8], atomicAdd((unsigned*)&y[9], 1));
  atomicAdd((unsigned long*)&y[10], 2);
)");
  EXPECT_EQ(static_cast<std::uint32_t>(y[0]), static_cast<std::uint32_t>(-total()));
  EXPECT_EQ(y[1], total());
  EXPECT_EQ(y[2], -(total() << 20));
  EXPECT_EQ(y[3], total());
  EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(y[4])), kCount);
  EXPECT_EQ(std::bit_cast<double>(y[5]), static_cast<double>(total()));
  EXPECT_EQ(static_cast<std::uint32_t>(y[6]), static_cast<std::uint32_t>(-total()));
  EXPECT_EQ(static_cast<std::uint32_t>(y[7]), static_cast<std::uint32_t>(-total()));
  EXPECT_EQ(y[8], kCount * (kCount - 1) / 2) << "each got what was there before";
  EXPECT_EQ(y[10], 2 * kCount);
}

TEST(DeviceAtomicsTest, ComputeMinimaAndMaxima) {
  const Wide y = cells(R"(  atomicMin((int*)&y[0], -(int)v);
  atomicMin((long long*)&y[1], -((long long)v << 33));
  atomicMax((int*)&y[2], v);
  atomicMax((unsigned*)&y[3], v << 25);
  atomicMax((long long*)&y[4], (long long)v << 33);
  atomicMax(&y[5], (unsigned long long)v << 56);
  if (i == 0) y[6] = y[7] = ~0ull;
  __syncthreads();
  if (blockIdx.x > 0) return;
  atomicMin((unsigned*)&y[6], v + 7);
  atomicMin_block(&y[7], v + 9ull);
)",
                       250);
  EXPECT_EQ(static_cast<std::int32_t>(y[0]), -101);
  EXPECT_EQ(static_cast<std::int64_t>(y[1]), -(std::int64_t{101} << 33));
  EXPECT_EQ(y[2], 101U);
  EXPECT_EQ(static_cast<std::uint32_t>(y[3]), 101U << 25);
  EXPECT_EQ(y[4], std::uint64_t{101} << 33);
  EXPECT_EQ(y[5], std::uint64_t{101} << 56);
  EXPECT_EQ(static_cast<std::uint32_t>(y[6]), 8U);
  EXPECT_EQ(y[7], 10U);
}

TEST(DeviceAtomicsTest, UpdateBitsInSharedMemory) {
  const Wide y = cells(R"(  __shared__ int all;
  __shared__ unsigned any;
  __shared__ unsigned long long odd;
  if (threadIdx.x == 0) all = -1, any = 0, odd = 0;
  __syncthreads();
  atomicAnd(&all, ~(1 << (v & 15)));
  atomicOr_block(&any, 1u << (v & 31));
  atomicXor(&odd, 1ull << (v & 63));
  __syncthreads();
  if (threadIdx.x == 0) y[3 * blockIdx.x] = (unsigned)all, y[3 * blockIdx.x + 1] = any, y[3 * blockIdx.x + 2] = odd;
)");
  const auto x = numbers();
  for (std::uint32_t block = 0; block * 48 < kCount; ++block) {
    std::uint32_t all = ~0U, any = 0;
    std::uint64_t odd = 0;
    for (std::uint32_t i = block * 48; i < std::min(block * 48 + 48, kCount); ++i) {
      all &= ~(1U << (x[i] & 15)), any |= 1U << (x[i] & 31), odd ^= std::uint64_t{1} << (x[i] & 63);
    }
    EXPECT_EQ(y[3 * block], all);
    EXPECT_EQ(y[3 * block + 1], any);
    EXPECT_EQ(y[3 * block + 2], odd);
  }
}

TEST(DeviceAtomicsTest, ExchangeCountAndCompareAndSwap) {
  const Wide y = cells(R"(  atomicAdd(&y[0], atomicExch(&y[1], 7));
  atomicAdd((unsigned*)&y[2], atomicExch((int*)&y[3], 7));
  atomicAdd((float*)&y[4], atomicExch((float*)&y[5], 7));
  atomicInc((unsigned*)&y[6], 9);
  atomicDec_system((unsigned*)&y[7], 9);
  unsigned before = *(volatile unsigned*)&y[8], expected;
  do {
    expected = before;
    before = atomicCAS((unsigned*)&y[8], expected, expected + v);
  } while (before != expected);
  unsigned long long wide = y[9], was;
  do {
    was = wide;
    wide = atomicCAS_block(&y[9], was, __double_as_longlong(__longlong_as_double(was) + v));
  } while (wide != was);
  atomicCAS((unsigned short*)&y[10], (unsigned short)0, (unsigned short)77);
)");
  const auto real = [&](int cell) { return std::bit_cast<float>(static_cast<std::uint32_t>(y[cell])); };
  EXPECT_EQ(y[0], 7 * (kCount - 1)) << "all but the first found what another had left";
  EXPECT_EQ(y[1], 7U);
  EXPECT_EQ(y[2], 7 * (kCount - 1));
  EXPECT_EQ(y[3], 7U);
  EXPECT_EQ(real(4), 7 * (kCount - 1));
  EXPECT_EQ(real(5), 7);
  EXPECT_EQ(y[6], kCount % 10);
  EXPECT_EQ(y[7], (10 - kCount % 10) % 10);
  EXPECT_EQ(y[8], total());
  EXPECT_EQ(std::bit_cast<double>(y[9]), static_cast<double>(total()));
  EXPECT_EQ(y[10], 77U);
}

TEST(DeviceAtomicsTest, AddVectorsElementByElement) {
  const Wide y = cells(R"(  const float f = v;
  atomicAdd((float2*)&y[0], make_float2(f, 2 * f));
  atomicAdd((float4*)&y[2], make_float4(1, f, -f, 3));
  float2 before;
  if (i == 7) before = atomicAdd((float2*)&y[4], float2{5, 6}), atomicAdd((float2*)&y[4], before);
)");
  const auto real = [&](std::size_t cell) { return std::bit_cast<std::array<float, 2>>(y[cell]); };
  const auto sum = static_cast<float>(total());
  EXPECT_EQ(real(0), (std::array<float, 2>{sum, 2 * sum}));
  EXPECT_EQ(real(2), (std::array<float, 2>{kCount, sum}));
  EXPECT_EQ(real(3), (std::array<float, 2>{-sum, 3 * kCount}));
  EXPECT_EQ(real(4), (std::array<float, 2>{5, 6}));
}

TEST(DeviceAtomicsTest, ObjectsHaveOrdersAndScopes) {
  const Wide y = cells(R"(  __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> sum;
  if (threadIdx.x == 0) sum.store(0, cuda::memory_order_release);
  __syncthreads();
  sum += v;
  __syncthreads();
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> all(y[0]), most(y[1]), last(y[3]);
  if (threadIdx.x == 0) all.fetch_add(sum.load(cuda::std::memory_order_acquire), cuda::memory_order_acq_rel);
  most.fetch_max(v);
  cuda::atomic_ref<long long>(*(long long*)&y[2]).fetch_min(-(long long)v, cuda::memory_order_relaxed);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  unsigned long long known = cuda::atomic_ref<const unsigned long long>(y[3]).load(cuda::memory_order_acquire);
  while (!last.compare_exchange_weak(known, known + v, cuda::memory_order_release)) {}
  cuda::std::atomic_ref<unsigned> count(*(unsigned*)&y[4]);
  count++;
  if (--cuda::atomic_ref<int>(*(int*)&y[5]) == 0) y[6] = 1;
  const unsigned long long other = cuda::atomic_ref<unsigned long long>(y[7]).exchange(9);
  y[8 + (other == 9)] = cuda::memory_order_seq_cst - cuda::memory_order_relaxed;
)",
                       48);
  const auto x = numbers();
  EXPECT_EQ(y[0], total());
  EXPECT_EQ(y[1], 101U);
  EXPECT_EQ(static_cast<std::int64_t>(y[2]), -101);
  EXPECT_EQ(y[3], total());
  EXPECT_EQ(y[4], kCount);
  EXPECT_EQ(static_cast<std::int32_t>(y[5]), -static_cast<std::int32_t>(kCount));
  EXPECT_EQ(y[7], 9U);
  EXPECT_EQ(y[8], 5U);
  EXPECT_EQ(y[9], 5U);
}

}  // namespace
}  // namespace kmux::cpu::device_atomics
