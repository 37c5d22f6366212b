// Kernels whose warps run in lockstep, and those whose warps must not (docs/design/0035-cuda-on-cpu.md).
#include <algorithm>
#include <numeric>
#include <set>

#include "suite_kernel.h"

namespace kmux::cpu {
namespace {

class WarpsInStepTest : public SuiteKernels {};
INSTANTIATE_TEST_SUITE_P(Tiers, WarpsInStepTest, testing::Values("fast", "full"));

TEST_P(WarpsInStepTest, MeetAtBarriersInLoops) {
  source_ = R"(
extern "C" __global__ void sums(const int* x, int* y) {
  __shared__ int part[1024];
  const int t = threadIdx.x;
  part[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = part[0];
})";
  for (const int threads : {32, 64, 256, 512, 1024}) {  // one warp, all in lockstep, and groups in lockstep
    auto x = integers(static_cast<std::size_t>(3 * threads), -100, 100);
    std::vector<int> y(3), wanted(3);
    for (int b = 0; b < 3; ++b) {
      wanted[static_cast<std::size_t>(b)] = std::accumulate(x.begin() + b * threads, x.begin() + (b + 1) * threads, 0);
    }
    launch("sums", {.grid = {3}, .block = {threads}}, {x, y});
    EXPECT_EQ(y, wanted) << threads;
  }
}

TEST_P(WarpsInStepTest, ComputeTiledMatrixProducts) {
  source_ = R"(
extern "C" __global__ void matmul(const int* a, const int* b, int* c, int n) {
  __shared__ int as[16][16], bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  int sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[ty][tx] = row < n && k + tx < n ? a[row * n + k + tx] : 0;
    bs[ty][tx] = column < n && k + ty < n ? b[(k + ty) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
})";
  for (const int n : {48, 37}) {
    const auto size = static_cast<std::size_t>(n);
    auto a = integers(size * size, -9, 9), b = integers(size * size, -9, 9);
    std::vector<int> c(size * size), wanted(size * size);
    for (std::size_t i = 0; i < size * size; ++i) {
      for (std::size_t k = 0; k < size; ++k) wanted[i] += a[i / size * size + k] * b[k * size + i % size];
    }
    launch("matmul", {.grid = {3, 3}, .block = {16, 16}}, {a, b, c, n});
    EXPECT_EQ(c, wanted) << n;
  }
}

// Grid-stride loops over more data than caches hold, and a last round that only some threads make.
TEST_P(WarpsInStepTest, RunLongGridStrideLoops) {
  source_ = R"(
extern "C" __global__ void k(const int* x, int* y, int n) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += x[i];
    if (i % 3 == 0) sum -= 2;
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
})";
  for (const int n : {100, (1 << 17) - 5, (1 << 17) + 256, 300001}) {
    auto x = integers(static_cast<std::size_t>(n), -100, 100);
    std::vector<int> y(256), wanted(256);
    for (int i = 0; i < n; ++i)
      wanted[static_cast<std::size_t>(i % 256)] += x[static_cast<std::size_t>(i)] - (i % 3 == 0 ? 2 : 0);
    launch("k", {.grid = {2}, .block = {128}}, {x, y, n});
    EXPECT_EQ(y, wanted) << n;
  }
}

// Rows as short as a cache line, in a grid large enough to prefetch the next blocks' rows.
TEST_P(WarpsInStepTest, HandleShortRowsOfLargeGrids) {
  source_ = R"(
extern "C" __global__ void k(const int* x, int* y, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= n || row >= n) return;
  y[row * n + column] = 3 * x[row * n + column] + (column > 0 ? x[row * n + column - 1] : 0);
})";
  for (const int n : {48, 400}) {
    const auto size = static_cast<std::size_t>(n);
    auto x = integers(size * size, -100, 100);
    std::vector<int> y(size * size), wanted(size * size);
    for (std::size_t i = 0; i < size * size; ++i) wanted[i] = 3 * x[i] + (i % size > 0 ? x[i - 1] : 0);
    launch("k", {.grid = {(n + 15) / 16, (n + 15) / 16}, .block = {16, 16}}, {x, y, n});
    EXPECT_EQ(y, wanted) << n;
  }
}

// Whole warps exit before a barrier at which the others wait repeatedly: not in lockstep.
TEST_P(WarpsInStepTest, HandleBarrierSkippedBySomeWarps) {
  source_ = R"(
extern "C" __global__ void k(const int* x, int* y, int rounds) {
  __shared__ int kept[64];
  const int t = threadIdx.x;
  if (t >= 64) {
    y[t] = -x[t];
    return;
  }
  int value = x[t];
  for (int i = 0; i < rounds; ++i) {
    kept[t] = value;
    __syncthreads();
    value = kept[63 - t] + kept[(t + 32) % 64];
    __syncthreads();
  }
  y[t] = value;
})";
  auto x = integers(128, -100, 100);
  std::vector<int> y(128), wanted(x);
  for (int round = 0; round < 3; ++round) {
    const std::vector<int> kept = wanted;
    for (std::size_t t = 0; t < 64; ++t) wanted[t] = kept[63 - t] + kept[(t + 32) % 64];
  }
  for (std::size_t t = 64; t < 128; ++t) wanted[t] = -x[t];
  launch("k", {.block = {128}}, {x, y, 3});
  EXPECT_EQ(y, wanted);
}

// Each warp has a separate trip count, and so are its shuffles and ballots separate.
TEST_P(WarpsInStepTest, KeepShufflesAndBallotsPerWarp) {
  source_ = R"(
extern "C" __global__ void k(const int* x, int* y, int n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int sum = 0;
  unsigned seen = 0;
  for (int row = warp; row < n; row += 5) {
    sum += __shfl_xor_sync(~0u, x[row * 32 + lane], 1);
    seen ^= __ballot_sync(~0u, x[row * 32 + lane] > warp * 10);
  }
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (lane == 0) y[2 * warp] = sum, y[2 * warp + 1] = (int)seen;
})";
  constexpr int kRows = 23;
  auto x = integers(kRows * 32, -100, 100);
  std::vector<int> y(10), wanted(10);
  for (int row = 0; row < kRows; ++row) {
    const auto warp = static_cast<std::size_t>(row % 5);
    unsigned bits = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const int value = x[static_cast<std::size_t>(row) * 32 + lane];
      wanted[2 * warp] += value;
      bits |= static_cast<unsigned>(value > static_cast<int>(warp) * 10) << lane;
    }
    wanted[2 * warp + 1] ^= static_cast<int>(bits);
  }
  launch("k", {.block = {160}}, {x, y, kRows});
  EXPECT_EQ(y, wanted);
}

// A warp that has finished its rounds has meaningless values, which must not decide whether the others continue.
TEST_P(WarpsInStepTest, IgnoreValuesOfFinishedWarps) {
  source_ = R"(
extern "C" __global__ void k(const int* x, unsigned* y) {
  const int t = threadIdx.x, value = x[t];
  unsigned same = 0, rounds = 0;
  for (unsigned left = __activemask(); left != 0; ++rounds) {
    const unsigned lanes = __ballot_sync(~0u, value == __shfl_sync(~0u, value, __ffs(left) - 1));
    if (value == __shfl_sync(~0u, value, __ffs(left) - 1)) same = lanes;
    left &= ~lanes;
  }
  y[t] = same ^ rounds;
})";
  std::vector<int> x;
  for (const int most : {0, 30, 3, 0, 7, 1}) {
    const auto values = integers(32, 0, most);
    x.insert(x.end(), values.begin(), values.end());
  }
  std::vector<unsigned> y(192), wanted(192);
  for (std::size_t t = 0; t < 192; ++t) {
    const auto warp = x.begin() + static_cast<std::ptrdiff_t>(t / 32 * 32);
    wanted[t] = static_cast<unsigned>(std::set<int>(warp, warp + 32).size());
    for (unsigned lane = 0; lane < 32; ++lane) wanted[t] ^= static_cast<unsigned>(warp[lane] == x[t]) << lane;
  }
  launch("k", {.block = {192}}, {x, y});
  EXPECT_EQ(y, wanted);
}

TEST_P(WarpsInStepTest, HandleAtomicsOfSomeThreads) {
  source_ = R"(
extern "C" __global__ void k(const int* x, int* tickets, int* totals) {
  __shared__ int next;
  const int t = threadIdx.x;
  if (t == 0) next = 0;
  __syncthreads();
  if (t >= 96 && x[t] > 0) tickets[t] = atomicAdd(&next, 1);
  __syncthreads();
  for (int i = 0; i < 3; ++i) {
    if (t / 64 == i) atomicAdd(&totals[i], next);
  }
})";
  auto x = integers(256, -100, 100);
  std::vector<int> tickets(256, -1), totals(3), given;
  const auto count = static_cast<int>(std::count_if(x.begin() + 96, x.end(), [](int value) { return value > 0; }));
  launch("k", {.block = {256}}, {x, tickets, totals});
  for (std::size_t t = 0; t < 256; ++t) {
    EXPECT_EQ(tickets[t] >= 0, t >= 96 && x[t] > 0) << t;
    if (tickets[t] >= 0) given.push_back(tickets[t]);
  }
  std::sort(given.begin(), given.end());
  std::vector<int> wanted(static_cast<std::size_t>(count));
  std::iota(wanted.begin(), wanted.end(), 0);
  EXPECT_EQ(given, wanted);
  EXPECT_EQ(totals, std::vector<int>(3, 64 * count));
}

// A value uniform in a warp is loaded once for it, but not if none of its lanes run: the address may be invalid.
TEST_P(WarpsInStepTest, InactiveWarpReadsNothing) {
  source_ = R"(
extern "C" __global__ void k(int* const* rows, int* y, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    const int* const row = rows[threadIdx.y];
    if (row) sum += row[i] * (int)threadIdx.x;
  }
  y[threadIdx.y * 32 + threadIdx.x] = sum;
})";
  std::vector<int> row = {3, 4, 5};
  std::vector<int*> rows = {row.data(), nullptr, row.data(), nullptr};
  std::vector<int> y(128, -1), wanted(128);
  for (int i = 0; i < 128; ++i) wanted[static_cast<std::size_t>(i)] = i / 32 % 2 == 0 ? 12 * (i % 32) : 0;
  launch("k", {.block = {32, 4}}, {rows, y, 3});
  EXPECT_EQ(y, wanted);
}

TEST_P(WarpsInStepTest, HandleEarlyReturns) {
  source_ = R"(
extern "C" __global__ void k(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int k = 0; k <= i % 7; ++k) {
    if (x[i] == k) return;
    sum += x[(i + k) % n] * k;
  }
  y[i] = sum;
})";
  constexpr int kCount = 300;
  auto x = integers(kCount, -3, 9);
  std::vector<int> y(512, -1), wanted(512, -1);
  for (int i = 0; i < kCount; ++i) {
    const auto at = [&](int index) { return x[static_cast<std::size_t>(index % kCount)]; };
    if (at(i) >= 0 && at(i) <= i % 7) continue;
    int& sum = wanted[static_cast<std::size_t>(i)] = 0;
    for (int k = 0; k <= i % 7; ++k) sum += at(i + k) * k;
  }
  launch("k", {.grid = {2}, .block = {256}}, {x, y, kCount});
  EXPECT_EQ(y, wanted);
}

// Private memory of each thread, small enough for all warps at once, and too large for that.
TEST_P(WarpsInStepTest, HandlePrivateArrays) {
  source_ = R"(
template <int size>
__global__ void k(const int* x, int* y) {
  __shared__ int turned[256];
  int own[size];
  const int t = threadIdx.x;
  for (int i = 0; i < size; ++i) own[(i * 7 + t) % size] = i + x[t];
  turned[255 - t] = own[t % size];
  __syncthreads();
  y[t] = turned[t] + own[(t + 1) % size];
})";
  for (const int size : {8, 1024}) {
    auto x = integers(256, -100, 100);
    std::vector<int> y(256), wanted(256);
    const auto own = [&](int t, int index) {
      for (int i = 0; i < size; ++i) {
        if ((i * 7 + t) % size == index % size) return i + x[static_cast<std::size_t>(t)];
      }
      return 0;
    };
    for (int t = 0; t < 256; ++t) wanted[static_cast<std::size_t>(t)] = own(255 - t, 255 - t) + own(t, t + 1);
    launch("k<" + std::to_string(size) + ">", {.block = {256}}, {x, y});
    EXPECT_EQ(y, wanted) << size;
  }
}

// With one warp in the block the lane numbers are a constant vector, whose first element is not a valid divisor.
TEST_P(WarpsInStepTest, DivideByThreadIndex) {
  source_ = R"(
extern "C" __global__ void k(const unsigned* x, unsigned* y) {
  const unsigned t = threadIdx.x;
  if ((43u & t) == 1) y[t] = (x[t] == x[t + 1]) / (t | 1u);
})";
  std::vector<unsigned> x(64, 5), y(32, 9), wanted(32, 9);
  for (unsigned t = 0; t < 32; ++t) {
    if ((43u & t) == 1) wanted[t] = 1 / (t | 1u);
  }
  launch("k", {.block = {32}}, {x, y});
  EXPECT_EQ(y, wanted);
}

// The lowest bit of a thread's number alternates from lane to lane: not a uniform condition.
TEST_P(WarpsInStepTest, SelectByThreadParity) {
  source_ = R"(
extern "C" __global__ void k(const int* x, int* y) {
  const int t = threadIdx.x;
  y[t] = (t & 1) ? x[t] * 3 : x[t] - 1;
})";
  auto x = integers(64, -100, 100);
  std::vector<int> y(64), wanted(64);
  for (std::size_t t = 0; t < 64; ++t) wanted[t] = t % 2 == 1 ? x[t] * 3 : x[t] - 1;
  launch("k", {.block = {64}}, {x, y});
  EXPECT_EQ(y, wanted);
}

// Unsigned numbers above 2^31 in all lanes: a progression, and a uniform difference.
TEST_P(WarpsInStepTest, ZeroExtendUnsignedNumbers) {
  source_ = R"(
extern "C" __global__ void k(unsigned* y, unsigned n) {
  const unsigned t = threadIdx.x;
  unsigned more = t, high = 0;
  for (unsigned i = 0; i < n; ++i) {
    high += (unsigned)((unsigned long long)t * (t - more) >> 32);
    more += i;
  }
  y[t] = high + (unsigned)((unsigned long long)(t - 64u) * 3u + n >> 32);
})";
  std::vector<unsigned> y(32), wanted(32);
  for (unsigned t = 0; t < 32; ++t) {
    unsigned more = t;
    for (unsigned i = 0; i < 5; ++i) {
      wanted[t] += static_cast<unsigned>(static_cast<std::uint64_t>(t) * (t - more) >> 32);
      more += i;
    }
    wanted[t] += static_cast<unsigned>((static_cast<std::uint64_t>(t - 64U) * 3 + 5) >> 32);
  }
  launch("k", {.block = {32}}, {y, 5});
  EXPECT_EQ(y, wanted);
}

// Such blocks run by rows; the widest grid has more than one group per row.
TEST_P(WarpsInStepTest, RunRowsOfBlocksOnce) {
  source_ = R"(
extern "C" __global__ void k(const int* x, int* y, int width, int height, int more) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  const int place = (blockIdx.z * blockDim.z + threadIdx.z) * height * width + j * width + i;
  if (i > 0 && j > 0 && i < width - more && j < height) y[place] += x[place - 1] - 3 * x[place - width] + place;
})";
  for (const auto& [grid, block] : {std::pair{std::vector{1100, 2, 1}, std::vector{16, 8, 1}},
                                    {{5, 3, 2}, {64, 4, 1}},
                                    {{3, 2, 3}, {48, 2, 2}},
                                    {{7, 2, 1}, {8, 8, 1}}}) {
    const int width = grid[0] * block[0], height = grid[1] * block[1], more = 3;
    const auto size = static_cast<std::size_t>(width * height * grid[2] * block[2]);
    auto x = integers(size, -100, 100), y = integers(size, -100, 100);
    std::vector<int> wanted = y;
    for (int place = 0; place < static_cast<int>(size); ++place) {
      const int i = place % width, j = place / width % height;
      const auto at = [&](int where) { return x[static_cast<std::size_t>(where)]; };
      if (i == 0 || j == 0 || i >= width - more) continue;
      wanted[static_cast<std::size_t>(place)] += at(place - 1) - 3 * at(place - width) + place;
    }
    launch("k", {.grid = grid, .block = block}, {x, y, width, height, more});
    EXPECT_EQ(y, wanted) << block[0];
  }
}

}  // namespace
}  // namespace kmux::cpu
