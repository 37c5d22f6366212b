// Reductions, prefix sums and loops with a common end, modelled on public suites (docs/design/0039-public-kernels.md).
// The text is our own.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "suite_kernel.h"

namespace kmux::cpu {
namespace {

class SuiteReductionsTest : public SuiteKernels {};
INSTANTIATE_TEST_SUITE_P(Tiers, SuiteReductionsTest, testing::Values("fast", "full"));

// srad: a tree whose last block has fewer elements, so that blocks take different branches with barriers inside, and
// its last thread adds the elements beyond the largest power of two.
TEST_P(SuiteReductionsTest, TreeWithPartialLastBlock) {
  source_ = R"(
#define THREADS 64
__global__ void reduce(int n, const float* x, float* sums) {
  __shared__ float part[THREADS];
  const int tx = threadIdx.x, at = blockIdx.x * THREADS + tx;
  const int rest = THREADS - (gridDim.x * THREADS - n);
  int df = 0, i;
  if (at < n) part[tx] = x[at];
  __syncthreads();
  if (rest == THREADS || blockIdx.x != gridDim.x - 1) {
    for (i = 2; i <= THREADS; i = 2 * i) {
      if ((tx + 1) % i == 0) part[tx] = part[tx] + part[tx - i / 2];
      __syncthreads();
    }
    if (tx == THREADS - 1) sums[blockIdx.x] = part[tx];
  } else {
    for (i = 2; i <= THREADS; i = 2 * i)
      if (rest >= i) df = i;
    for (i = 2; i <= df; i = 2 * i) {
      if ((tx + 1) % i == 0 && tx < df) part[tx] = part[tx] + part[tx - i / 2];
      __syncthreads();
    }
    if (tx == df - 1) {
      for (i = blockIdx.x * THREADS + df; i < blockIdx.x * THREADS + rest; i++) part[tx] = part[tx] + x[i];
      sums[blockIdx.x] = part[tx];
    }
  }
})";
  for (const int n : {64, 128, 130, 64 * 3 + 37, 64 * 4 + 63}) {
    std::vector<float> x = floats(n), sums((n + 63) / 64);
    launch("reduce", {{static_cast<int>(sums.size())}, {64}}, {n, x, sums});
    std::vector<double> wanted(sums.size());
    for (int i = 0; i < n; ++i) wanted[i / 64] += x[i];
    expect_near(sums, wanted);
  }
}

// backprop: the step of a tree is a power of two that comes from floating-point functions.
TEST_P(SuiteReductionsTest, PowersOfTwoFromLogarithms) {
  source_ = R"(
#define HEIGHT 16
#define WIDTH 16
__global__ void layer(const float* input, const float* weights, float* partial, int hidden) {
  const int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  __shared__ float node[HEIGHT];
  __shared__ float matrix[HEIGHT][WIDTH];
  if (tx == 0) node[ty] = input[HEIGHT * by + ty];
  __syncthreads();
  matrix[ty][tx] = weights[(hidden + 1) * (HEIGHT * by + ty) + tx + 1];
  __syncthreads();
  matrix[ty][tx] = matrix[ty][tx] * node[ty];
  __syncthreads();
  for (int i = 1; i <= __log2f(HEIGHT); i++) {
    int power_two = __powf(2, i);
    if (ty % power_two == 0) matrix[ty][tx] = matrix[ty][tx] + matrix[ty + power_two / 2][tx];
    __syncthreads();
  }
  if (tx == 0) partial[by * hidden + ty] = matrix[tx][ty];
})";
  constexpr int kHidden = 16, kBlocks = 7;
  std::vector<float> input = floats(kBlocks * 16), weights = floats(kBlocks * 16 * (kHidden + 1) + 1),
                     partial(kBlocks * 16);
  std::vector<double> wanted(partial.size());
  for (int row = 0; row < kBlocks * 16; ++row)
    for (int h = 0; h < kHidden; ++h)
      wanted[row / 16 * kHidden + h] += double{input[row]} * weights[(kHidden + 1) * row + h + 1];
  launch("layer", {{1, kBlocks}, {16, 16}}, {input, weights, partial, kHidden});
  expect_near(partial, wanted);
}

// leukocyte: a block continues until a flag in shared memory reports convergence; a block of threads passes over a
// longer array, and a thread's last result is written one iteration later.
TEST_P(SuiteReductionsTest, IteratesUntilBlockConverges) {
  source_ = R"(
#define THREADS 48
#define POWER 32
__global__ void relax(float** grids, const int* sizes, int* turns, int most, float cutoff) {
  __shared__ float grid[500], buffer[THREADS];
  __shared__ int converged;
  const int tx = threadIdx.x, n = sizes[blockIdx.x];
  float* global = grids[blockIdx.x];
  const int passes = (n + THREADS - 1) / THREADS;
  for (int p = 0; p < passes; p++)
    if (p * THREADS + tx < n) grid[p * THREADS + tx] = global[p * THREADS + tx];
  if (tx == 0) converged = 0;
  __syncthreads();
  int iterations = 0;
  while (!converged && iterations < most) {
    float change = 0.0f;
    int i = 0, old;
    for (int p = 0; p < passes; p++) {
      old = i;
      i = p * THREADS + tx;
      float value = 0.0f, before = 0.0f;
      if (i < n) {
        before = grid[i];
        const float left = grid[i == 0 ? 0 : i - 1], right = grid[i == n - 1 ? n - 1 : i + 1];
        value = before + 0.25f * (left - before + right - before);
      }
      __syncthreads();
      if (p > 0 && old < n) grid[old] = buffer[tx];
      if (p < passes - 1) buffer[tx] = value;
      else if (i < n) grid[i] = value;
      change += fabs(value - before);
      __syncthreads();
    }
    buffer[tx] = change;
    __syncthreads();
    if (tx >= POWER) buffer[tx - POWER] += buffer[tx];
    __syncthreads();
    for (int half = POWER / 2; half > 0; half /= 2) {
      if (tx < half) buffer[tx] += buffer[tx + half];
      __syncthreads();
    }
    if (tx == 0 && buffer[0] / n < cutoff) converged = 1;
    iterations++;
    __syncthreads();
  }
  for (int p = 0; p < passes; p++)
    if (p * THREADS + tx < n) global[p * THREADS + tx] = grid[p * THREADS + tx];
  if (tx == 0) turns[blockIdx.x] = iterations;
})";
  std::vector<int> sizes = {30, 48, 133, 479}, turns(4);
  std::vector<std::vector<float>> grids;
  std::vector<float*> pointers;
  for (const int size : sizes) grids.push_back(floats(size, 0, 1));
  std::vector<std::vector<float>> wanted = grids;
  for (std::vector<float>& grid : grids) pointers.push_back(grid.data());
  constexpr int kMost = 40;
  constexpr float kCutoff = 0.012F;
  std::vector<int> wanted_turns;
  for (std::vector<float>& grid : wanted) {
    const int n = static_cast<int>(grid.size());
    int turn = 0;
    for (double change = 1e9; change / n >= kCutoff && turn < kMost; ++turn) {
      // A pass writes the values that the previous one computed, so the left neighbour of a pass's first element is the
      // old one.
      const std::vector<float> last = grid;
      change = 0;
      for (int i = 0; i < n; ++i) {
        grid[i] = last[i] + 0.25F * (last[std::max(i - 1, 0)] - last[i] + last[std::min(i + 1, n - 1)] - last[i]);
        change += std::fabs(grid[i] - last[i]);
      }
    }
    wanted_turns.push_back(turn);
  }
  launch("relax", {{4}, {48}}, {pointers, sizes, turns, kMost, kCutoff});
  EXPECT_EQ(turns, wanted_turns);
  for (std::size_t i = 0; i < grids.size(); ++i) expect_near(grids[i], wanted[i]);
}

// huffman: a prefix sum up and down a tree in place, then the bits of every thread are packed by atomics on shared
// words.
TEST_P(SuiteReductionsTest, PacksCodewordsWithAtomics) {
  source_ = R"(
__global__ void pack(const unsigned* codes, const int* lengths, unsigned* words, int* total) {
  extern __shared__ unsigned memory[];
  unsigned* as = memory;
  unsigned* packed = memory + blockDim.x;
  __shared__ unsigned all;
  const unsigned k = threadIdx.x, kn = blockIdx.x * blockDim.x + k;
  as[k] = lengths[kn];
  packed[k] = 0;
  unsigned offset = 1;
  for (unsigned d = blockDim.x >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (k < d) as[offset * (2 * k + 2) - 1] += as[offset * (2 * k + 1) - 1];
    offset *= 2;
  }
  if (k == 0) as[blockDim.x - 1] = 0;
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (k < d) {
      const unsigned a = offset * (2 * k + 1) - 1, b = offset * (2 * k + 2) - 1, t = as[a];
      as[a] = as[b];
      as[b] += t;
    }
  }
  __syncthreads();
  if (k == blockDim.x - 1) all = as[k] + lengths[kn];
  unsigned word = as[k] / 32, bit = as[k] % 32, left = lengths[kn], code = codes[kn];
  unsigned fits = min(left, 32 - bit);
  if (fits > 0) atomicOr(&packed[word], (code >> (left - fits)) << (32 - bit - fits));
  left -= fits;
  if (left > 0) atomicOr(&packed[word + 1], (code & ((1u << left) - 1)) << (32 - left));
  __syncthreads();
  words[kn] = packed[k];
  if (k == 0) total[blockIdx.x] = all;
})";
  constexpr int kThreads = 128, kBlocks = 3;
  std::vector<int> lengths = integers(kThreads * kBlocks, 0, 20), total(kBlocks), wanted_total(kBlocks);
  std::vector<unsigned> codes, words(lengths.size()), wanted(lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    codes.push_back(static_cast<unsigned>(i * 2654435761U) & ((1U << lengths[i]) - 1));
    int& bit = wanted_total[i / kThreads];
    for (int b = lengths[i] - 1; b >= 0; --b, ++bit)
      wanted[i / kThreads * kThreads + bit / 32] |= (codes[i] >> b & 1) << (31 - bit % 32);
  }
  launch("pack", {{kBlocks}, {kThreads}, 2 * kThreads * 4}, {codes, lengths, words, total});
  EXPECT_EQ(words, wanted);
  EXPECT_EQ(total, wanted_total);
}

// hybridsort: counters of a warp, each update tagged with its lane and repeated until it has won; all on volatile
// shared memory, without atomics.
TEST_P(SuiteReductionsTest, LaneTaggedCounters) {
  source_ = R"(
#define BINS 16
__device__ void add(volatile unsigned* counters, unsigned bin, unsigned tag) {
  unsigned count;
  do {
    count = counters[bin] & 0x07FFFFFFu;
    count = tag | (count + 1);
    counters[bin] = count;
  } while (counters[bin] != count);
}
__global__ void count(unsigned* result, const float* x, float low, float high, int n) {
  volatile __shared__ unsigned counters[4 * BINS];
  const unsigned tag = threadIdx.x << 27;
  const int base = (threadIdx.x >> 5) * BINS;
  for (int at = threadIdx.x; at < 4 * BINS; at += blockDim.x) counters[at] = 0;
  __syncthreads();
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x) {
    const unsigned bin = (x[at] - low) / (high - low) * BINS;
    add(counters + base, bin & (BINS - 1), tag);
    __syncwarp(__activemask());
  }
  __syncthreads();
  for (int at = threadIdx.x; at < BINS; at += blockDim.x) {
    unsigned sum = 0;
    for (int warp = 0; warp < 4; warp++) sum += counters[warp * BINS + at] & 0x07FFFFFFu;
    atomicAdd(result + at, sum);
  }
})";
  std::vector<float> x = floats(5003, 0, 1);
  std::vector<unsigned> result(16), wanted(16);
  for (const float value : x) ++wanted[static_cast<unsigned>(value * 16) & 15];
  launch("count", {{3}, {128}}, {result, x, 0.0F, 1.0F, 5003});
  EXPECT_EQ(result, wanted);
}

// heartwall: one block per point and stages of different extents, each by strides with columns that wrap around, then
// sums that a few threads compute alone before all continue.
TEST_P(SuiteReductionsTest, StagesOfDifferentExtents) {
  source_ = R"(
__global__ void correlate(const float* images, const float* pattern, float* best, int* place, int rows, int columns) {
  __shared__ float padded[24 * 24], result[400], of_column[24];
  const float* image = images + blockIdx.x * rows * columns;
  const int side = 5, wide = columns + side - 1, out_rows = rows - side + 1, out_columns = columns - side + 1;
  int at = threadIdx.x, row, column;
  while (at < (rows + side - 1) * wide) {
    column = (at + 1) / (rows + side - 1);
    row = (at + 1) % (rows + side - 1) - 1;
    if ((at + 1) % (rows + side - 1) == 0) {
      row = rows + side - 2;
      column = column - 1;
    }
    if (row >= 2 && row < rows + 2 && column >= 2 && column < columns + 2)
      padded[at] = image[(row - 2) * columns + column - 2];
    else
      padded[at] = 0;
    at += blockDim.x;
  }
  __syncthreads();
  at = threadIdx.x;
  while (at < out_rows * out_columns) {
    row = at % out_rows, column = at / out_rows;
    float sum = 0;
    for (int i = 0; i < side; i++)
      for (int j = 0; j < side; j++) sum += padded[(column + 2 + j) * (rows + side - 1) + row + 2 + i] * pattern[i * side + j];
    result[at] = sum;
    at += blockDim.x;
  }
  __syncthreads();
  if (threadIdx.x < out_columns) {
    float largest = result[threadIdx.x * out_rows];
    for (int i = 1; i < out_rows; i++)
      if (result[threadIdx.x * out_rows + i] > largest) largest = result[threadIdx.x * out_rows + i];
    of_column[threadIdx.x] = largest;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float largest = of_column[0];
    int found = 0;
    for (int i = 1; i < out_columns; i++)
      if (of_column[i] > largest) largest = of_column[i], found = i;
    best[blockIdx.x] = largest;
    place[blockIdx.x] = found;
  }
})";
  constexpr int kPoints = 3, kRows = 17, kColumns = 19, kSide = 5;
  std::vector<float> images = floats(kPoints * kRows * kColumns), pattern = floats(kSide * kSide), best(kPoints);
  std::vector<int> place(kPoints), wanted_place(kPoints);
  std::vector<double> wanted(kPoints, -1e9);
  for (int p = 0; p < kPoints; ++p)
    for (int c = 0; c <= kColumns - kSide; ++c)
      for (int r = 0; r <= kRows - kSide; ++r) {
        double sum = 0;
        for (int i = 0; i < kSide; ++i)
          for (int j = 0; j < kSide; ++j)
            sum += double{images[(p * kRows + r + i) * kColumns + c + j]} * pattern[i * kSide + j];
        if (sum > wanted[p]) wanted[p] = sum, wanted_place[p] = c;
      }
  launch("correlate", {{kPoints}, {100}}, {images, pattern, best, place, kRows, kColumns});
  expect_near(best, wanted);
  EXPECT_EQ(place, wanted_place);
}

// b+tree: at each level the one thread whose keys enclose the value advances the block, through global memory.
TEST_P(SuiteReductionsTest, OneThreadLeadsBlockDownTree) {
  source_ = R"(
struct Node { int indices[9]; int keys[10]; };
__global__ void find(int height, const Node* nodes, const int* records, int* current, int* next, const int* keys, int* answers) {
  const int thread = threadIdx.x, block = blockIdx.x;
  for (int i = 0; i < height; i++) {
    if (nodes[current[block]].keys[thread] <= keys[block] && nodes[current[block]].keys[thread + 1] > keys[block])
      next[block] = nodes[current[block]].indices[thread];
    __syncthreads();
    if (thread == 0) current[block] = next[block];
    __syncthreads();
  }
  if (nodes[current[block]].keys[thread] == keys[block]) answers[block] = records[nodes[current[block]].indices[thread]];
})";
  // Three levels of nine children; a leaf has nine keys, three apart.
  std::vector<int> nodes, records;
  const auto add = [&](int first_key, int step, const auto& index) {
    for (int i = 0; i < 9; ++i) nodes.push_back(index(i));
    for (int i = 0; i < 10; ++i) nodes.push_back(first_key + i * step);
  };
  add(0, 243, [](int i) { return 1 + i; });
  for (int n = 0; n < 9; ++n) add(n * 243, 27, [&](int i) { return 10 + n * 9 + i; });
  for (int n = 0; n < 81; ++n) add(n * 27, 3, [&](int i) { return n * 9 + i; });
  for (int i = 0; i < 729; ++i) records.push_back(7 * i);
  std::vector<int> keys = integers(200, 0, 2186), current(200), next(200), answers(200, -1), wanted;
  for (const int key : keys) wanted.push_back(key % 3 == 0 ? key / 3 * 7 : -1);
  launch("find", {{200}, {9}}, {2, nodes, records, current, next, keys, answers});
  EXPECT_EQ(answers, wanted);
}

}  // namespace
}  // namespace kmux::cpu
