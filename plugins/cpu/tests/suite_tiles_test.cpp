// Tiles with barriers, modelled on public suites (docs/design/0039-public-kernels.md). The text is our own.
#include <algorithm>
#include <cmath>
#include <map>

#include "suite_kernel.h"

namespace kmux::cpu {
namespace {

class SuiteTilesTest : public SuiteKernels {};
INSTANTIATE_TEST_SUITE_P(Tiers, SuiteTilesTest, testing::Values("fast", "full"));

// hotspot: a tile does as many steps as its halo permits, and fewer threads have a valid result after each; the loop
// ends by a break between two barriers.
TEST_P(SuiteTilesTest, StepsWithShrinkingHalo) {
  source_ = R"(
#define SIDE 16
#define INSIDE(v, low, high) ((v) >= (low) && (v) <= (high))
__global__ void heat(int steps, const float* power, const float* from, float* to, int width, int height, float gain) {
  __shared__ float now[SIDE][SIDE], next[SIDE][SIDE];
  const int useful = SIDE - 2 * steps;
  const int left = useful * blockIdx.x - steps, top = useful * blockIdx.y - steps;
  const int tx = threadIdx.x, ty = threadIdx.y, x = left + tx, y = top + ty;
  const int index = width * y + x;
  if (INSIDE(y, 0, height - 1) && INSIDE(x, 0, width - 1)) now[ty][tx] = from[index];
  __syncthreads();
  const int west = max(tx - 1, left < 0 ? -left : 0), east = min(tx + 1, left + SIDE > width ? width - 1 - left : SIDE - 1);
  const int north = max(ty - 1, top < 0 ? -top : 0), south = min(ty + 1, top + SIDE > height ? height - 1 - top : SIDE - 1);
  bool computed;
  for (int i = 0; i < steps; ++i) {
    computed = false;
    if (INSIDE(tx, i + 1, SIDE - i - 2) && INSIDE(ty, i + 1, SIDE - i - 2) && INSIDE(x, 0, width - 1) &&
        INSIDE(y, 0, height - 1)) {
      computed = true;
      next[ty][tx] = now[ty][tx] + gain * (power[index] + now[south][tx] + now[north][tx] + now[ty][east] + now[ty][west] -
                                           4.0f * now[ty][tx]);
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (computed) now[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (computed) to[index] = next[ty][tx];
})";
  constexpr int kWidth = 45, kHeight = 37, kSteps = 3;
  std::vector<float> power = floats(kWidth * kHeight), from = floats(kWidth * kHeight, 0, 9), to(from.size());
  std::vector<double> grid(from.begin(), from.end());
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<double> last = grid;
    const auto at = [&](int y, int x) {
      return last[std::clamp(y, 0, kHeight - 1) * kWidth + std::clamp(x, 0, kWidth - 1)];
    };
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        grid[y * kWidth + x] +=
            0.1 * (power[y * kWidth + x] + at(y + 1, x) + at(y - 1, x) + at(y, x + 1) + at(y, x - 1) - 4 * at(y, x));
  }
  launch("heat", {{5, 4}, {16, 16}}, {kSteps, power, from, to, kWidth, kHeight, 0.1F});
  expect_near(to, grid);
}

// pathfinder: the same in one dimension, with minima of three and threads that stop computing.
TEST_P(SuiteTilesTest, ShortestPathsDownGrid) {
  source_ = R"(
__global__ void rows(int steps, const int* wall, const int* from, int* to, int columns, int first) {
  __shared__ int before[64], result[64];
  const int tx = threadIdx.x, useful = 64 - 2 * steps, left = useful * blockIdx.x - steps, x = left + tx;
  const int low = left < 0 ? -left : 0, high = left + 64 > columns ? columns - 1 - left : 63;
  const bool valid = tx >= low && tx <= high;
  if (x >= 0 && x <= columns - 1) before[tx] = from[x];
  __syncthreads();
  bool computed = false;
  for (int i = 0; i < steps; i++) {
    computed = false;
    if (tx >= i + 1 && tx <= 64 - i - 2 && valid) {
      computed = true;
      int shortest = min(before[max(tx - 1, low)], before[tx]);
      shortest = min(shortest, before[min(tx + 1, high)]);
      result[tx] = shortest + wall[columns * (first + i) + x];
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (computed) before[tx] = result[tx];
    __syncthreads();
  }
  if (computed) to[x] = result[tx];
})";
  constexpr int kColumns = 301, kRows = 11, kSteps = 5;
  std::vector<int> wall = integers(kColumns * kRows, 0, 9), from(wall.begin(), wall.begin() + kColumns), to(kColumns);
  std::vector<int> best = from;
  for (int row = 1; row < kRows; ++row) {
    const std::vector<int> last = best;
    for (int x = 0; x < kColumns; ++x)
      best[x] =
          wall[row * kColumns + x] + std::min({last[std::max(x - 1, 0)], last[x], last[std::min(x + 1, kColumns - 1)]});
  }
  for (int first = 1; first < kRows; first += kSteps) {
    launch("rows", {{6}, {64}}, {kSteps, wall, from, to, kColumns, first});
    from.swap(to);
  }
  EXPECT_EQ(from, best);
}

// nw: a table along its diagonals, first growing and then shrinking, one barrier each, in blocks along diagonals of
// blocks.
TEST_P(SuiteTilesTest, AlignmentAlongDiagonals) {
  source_ = R"(
#define TILE 16
__device__ __host__ int largest(int a, int b, int c) { int k = a <= b ? b : a; return k <= c ? c : k; }
__global__ void align(const int* scores, int* table, int columns, int penalty, int diagonal, int first) {
  __shared__ int temp[TILE + 1][TILE + 1];
  const int bx = first + blockIdx.x, by = diagonal - bx, tx = threadIdx.x;
  const int corner = columns * TILE * by + TILE * bx;
  if (tx == 0) temp[0][0] = table[corner];
  for (int ty = 0; ty < TILE; ty++) temp[ty + 1][tx + 1] = scores[corner + columns * (ty + 1) + tx + 1];
  __syncthreads();
  temp[tx + 1][0] = table[corner + columns * (tx + 1)];
  __syncthreads();
  temp[0][tx + 1] = table[corner + tx + 1];
  __syncthreads();
  for (int m = 0; m < TILE; m++) {
    if (tx <= m) {
      const int x = tx + 1, y = m - tx + 1;
      temp[y][x] = largest(temp[y - 1][x - 1] + temp[y][x], temp[y][x - 1] - penalty, temp[y - 1][x] - penalty);
    }
    __syncthreads();
  }
  for (int m = TILE - 2; m >= 0; m--) {
    if (tx <= m) {
      const int x = tx + TILE - m, y = TILE - tx;
      temp[y][x] = largest(temp[y - 1][x - 1] + temp[y][x], temp[y][x - 1] - penalty, temp[y - 1][x] - penalty);
    }
    __syncthreads();
  }
  for (int ty = 0; ty < TILE; ty++) table[corner + columns * (ty + 1) + tx + 1] = temp[ty + 1][tx + 1];
})";
  constexpr int kTiles = 4, kSide = kTiles * 16 + 1, kPenalty = 3;
  std::vector<int> scores = integers(kSide * kSide, -5, 9), table(kSide * kSide);
  for (int i = 0; i < kSide; ++i) table[i] = table[i * kSide] = -i * kPenalty;
  std::vector<int> expected = table;
  for (int y = 1; y < kSide; ++y)
    for (int x = 1; x < kSide; ++x)
      expected[y * kSide + x] =
          std::max({expected[(y - 1) * kSide + x - 1] + scores[y * kSide + x], expected[y * kSide + x - 1] - kPenalty,
                    expected[(y - 1) * kSide + x] - kPenalty});
  for (int diagonal = 0; diagonal < 2 * kTiles - 1; ++diagonal) {
    const int first = std::max(0, diagonal - kTiles + 1), last = std::min(diagonal, kTiles - 1);
    launch("align", {{last - first + 1}, {16}}, {scores, table, kSide, kPenalty, diagonal, first});
  }
  EXPECT_EQ(table, expected);
}

// lud: barriers in a loop whose work depends on the thread, and a block whose halves do different things between barriers.
TEST_P(SuiteTilesTest, BlockedLuDecomposition) {
  source_ = R"(
#define TILE 16
__global__ void diagonal(float* m, int n, int offset) {
  __shared__ float shadow[TILE][TILE];
  const int tx = threadIdx.x;
  int at = offset * n + offset;
  for (int i = 0; i < TILE; i++, at += n) shadow[i][tx] = m[at + tx];
  __syncthreads();
  for (int i = 0; i < TILE - 1; i++) {
    if (tx > i) {
      for (int j = 0; j < i; j++) shadow[tx][i] -= shadow[tx][j] * shadow[j][i];
      shadow[tx][i] /= shadow[i][i];
    }
    __syncthreads();
    if (tx > i)
      for (int j = 0; j < i + 1; j++) shadow[i + 1][tx] -= shadow[i + 1][j] * shadow[j][tx];
    __syncthreads();
  }
  at = (offset + 1) * n + offset;
  for (int i = 1; i < TILE; i++, at += n) m[at + tx] = shadow[i][tx];
}
__global__ void perimeter(float* m, int n, int offset) {
  __shared__ float dia[TILE][TILE], row[TILE][TILE], column[TILE][TILE];
  int index;
  const int half = TILE / 2, away = (blockIdx.x + 1) * TILE;
  if (threadIdx.x < TILE) {
    index = threadIdx.x;
    for (int i = 0; i < half; i++) dia[i][index] = m[(offset + i) * n + offset + index];
    for (int i = 0; i < TILE; i++) row[i][index] = m[(offset + i) * n + offset + away + index];
  } else {
    index = threadIdx.x - TILE;
    for (int i = half; i < TILE; i++) dia[i][index] = m[(offset + i) * n + offset + index];
    for (int i = 0; i < TILE; i++) column[i][index] = m[(offset + away + i) * n + offset + index];
  }
  __syncthreads();
  if (threadIdx.x < TILE) {
    for (int i = 1; i < TILE; i++)
      for (int j = 0; j < i; j++) row[i][index] -= dia[i][j] * row[j][index];
  } else {
    for (int i = 0; i < TILE; i++) {
      for (int j = 0; j < i; j++) column[index][i] -= column[index][j] * dia[j][i];
      column[index][i] /= dia[i][i];
    }
  }
  __syncthreads();
  if (threadIdx.x < TILE) {
    for (int i = 1; i < TILE; i++) m[(offset + i) * n + offset + away + index] = row[i][index];
  } else {
    for (int i = 0; i < TILE; i++) m[(offset + away + i) * n + offset + index] = column[i][index];
  }
}
__global__ void internal(float* m, int n, int offset) {
  __shared__ float row[TILE][TILE], column[TILE][TILE];
  const int y = offset + (blockIdx.y + 1) * TILE, x = offset + (blockIdx.x + 1) * TILE;
  row[threadIdx.y][threadIdx.x] = m[(offset + threadIdx.y) * n + x + threadIdx.x];
  column[threadIdx.y][threadIdx.x] = m[(y + threadIdx.y) * n + offset + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < TILE; i++) sum += column[threadIdx.y][i] * row[i][threadIdx.x];
  m[(y + threadIdx.y) * n + x + threadIdx.x] -= sum;
})";
  constexpr int kSide = 64;
  std::vector<float> m = floats(kSide * kSide);
  for (int i = 0; i < kSide; ++i) m[i * kSide + i] += kSide;  // needs no pivots
  const std::vector<double> wanted(m.begin(), m.end());
  for (int offset = 0; offset < kSide; offset += 16) {
    const int rest = (kSide - offset) / 16 - 1;
    launch("diagonal", {{1}, {16}}, {m, kSide, offset});
    if (rest > 0) launch("perimeter", {{rest}, {32}}, {m, kSide, offset});
    if (rest > 0) launch("internal", {{rest, rest}, {16, 16}}, {m, kSide, offset});
  }
  std::vector<double> product(wanted.size());
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x)
      for (int i = 0; i <= std::min(x, y); ++i)
        product[y * kSide + x] += (i == y ? 1.0 : m[y * kSide + i]) * double{m[i * kSide + x]};
  expect_near(product, wanted);
}

// dwt2d: a class with methods whose objects are in shared memory, mirrored at the borders, in steps of every second
// element.
TEST_P(SuiteTilesTest, WaveletTransformByLifting) {
  source_ = R"(
template <int SIZE>
class Line {
  int values[SIZE + 3];
 public:
  __device__ int& operator[](int i) { return values[i + 2]; }
  template <class F>
  __device__ void for_each(int first, int step, F f) {
    for (int i = first + step * threadIdx.x; i < SIZE; i += step * blockDim.x) f(i);
    __syncthreads();
  }
  __device__ void mirror() {
    if (threadIdx.x == 0) {
      (*this)[-1] = (*this)[1];
      (*this)[SIZE] = (*this)[SIZE - 2];
    }
    __syncthreads();
  }
};
__global__ void forward(const int* x, int* y) {
  __shared__ Line<100> line;
  line.for_each(0, 1, [&](int i) { line[i] = x[blockIdx.x * 100 + i]; });
  line.mirror();
  line.for_each(1, 2, [&](int i) { line[i] -= (line[i - 1] + line[i + 1]) >> 1; });
  line.mirror();
  line.for_each(0, 2, [&](int i) { line[i] += (line[i - 1] + line[i + 1] + 2) >> 2; });
  line.for_each(0, 1, [&](int i) { y[blockIdx.x * 100 + i / 2 + (i % 2) * 50] = line[i]; });
})";
  std::vector<int> x = integers(700, -99, 99), y(700), wanted(700);
  for (int line = 0; line < 7; ++line) {
    std::vector<int> v(x.begin() + line * 100, x.begin() + (line + 1) * 100);
    for (int i = 1; i < 100; i += 2) v[i] -= (v[i - 1] + v[i + 1 < 100 ? i + 1 : 98]) >> 1;
    for (int i = 0; i < 100; i += 2) v[i] += (v[i > 0 ? i - 1 : 1] + v[i + 1] + 2) >> 2;
    for (int i = 0; i < 100; ++i) wanted[line * 100 + i / 2 + i % 2 * 50] = v[i];
  }
  launch("forward", {{7}, {24}}, {x, y});
  EXPECT_EQ(y, wanted);
}

// lavaMD: one block per box, its particles taken by strides, box by box of its neighbours through shared memory.
TEST_P(SuiteTilesTest, ForcesBetweenBoxes) {
  source_ = R"(
struct Particle { float x, y, z, q; };
__global__ void forces(const Particle* all, const int* neighbours, const int* counts, float* out, int of_box) {
  __shared__ Particle mine[100], other[100];
  const Particle* home = all + blockIdx.x * of_box;
  int at = threadIdx.x;
  while (at < of_box) { mine[at] = home[at]; at += blockDim.x; }
  __syncthreads();
  for (int k = 0; k < 1 + counts[blockIdx.x]; k++) {
    const int box = k == 0 ? blockIdx.x : neighbours[blockIdx.x * 2 + k - 1];
    at = threadIdx.x;
    while (at < of_box) { other[at] = all[box * of_box + at]; at += blockDim.x; }
    __syncthreads();
    at = threadIdx.x;
    while (at < of_box) {
      float sum = 0;
      for (int j = 0; j < of_box; j++) {
        const float dx = mine[at].x - other[j].x, dy = mine[at].y - other[j].y, dz = mine[at].z - other[j].z;
        sum += other[j].q * expf(-(dx * dx + dy * dy + dz * dz));
      }
      out[blockIdx.x * of_box + at] += sum;
      at += blockDim.x;
    }
    __syncthreads();
  }
})";
  constexpr int kBoxes = 5, kOfBox = 37;
  std::vector<float> all = floats(kBoxes * kOfBox * 4), out(kBoxes * kOfBox);
  std::vector<int> neighbours, counts;
  for (int box = 0; box < kBoxes; ++box) {
    const std::vector<int> near = box == 0            ? std::vector{1}
                                  : box == kBoxes - 1 ? std::vector{box - 1}
                                                      : std::vector{box - 1, box + 1};
    counts.push_back(static_cast<int>(near.size()));
    neighbours.insert(neighbours.end(), {near.front(), near.back()});
  }
  std::vector<double> wanted(out.size());
  for (int i = 0; i < kBoxes * kOfBox; ++i)
    for (int j = 0; j < kBoxes * kOfBox; ++j) {
      if (std::abs(i / kOfBox - j / kOfBox) > 1) continue;
      double square = 0;
      for (int d = 0; d < 3; ++d) square += std::pow(double{all[i * 4 + d]} - all[j * 4 + d], 2);
      wanted[i] += all[j * 4 + 3] * std::exp(-square);
    }
  launch("forces", {{kBoxes}, {16}}, {all, neighbours, counts, out, kOfBox});
  expect_near(out, wanted);
}

// correlation: rows of a triangle, so that the length of a thread's loops depends on its position; gramschmidt: a
// kernel with one working thread, and one whose threads pass over the rows twice.
TEST_P(SuiteTilesTest, TriangularLoopsAndColumnPasses) {
  source_ = R"(
__global__ void correlate(float* matrix, const float* data, int m, int n) {
  const int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  if (j1 < m - 1) {
    matrix[j1 * m + j1] = 1.0f;
    for (int j2 = j1 + 1; j2 < m; j2++) {
      matrix[j1 * m + j2] = 0.0f;
      for (int i = 0; i < n; i++) matrix[j1 * m + j2] += data[i * m + j1] * data[i * m + j2];
      matrix[j2 * m + j1] = matrix[j1 * m + j2];
    }
  }
}
__global__ void norm(const float* a, float* r, int k, int m, int n) {
  if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += a[i * m + k] * a[i * m + k];
    r[k * m + k] = sqrt(sum);
  }
}
__global__ void project(float* a, const float* r, float* q, int k, int m, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < n) q[j * m + k] = a[j * m + k] / r[k * m + k];
}
__global__ void subtract(float* a, float* r, const float* q, int k, int m, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j > k && j < m) {
    r[k * m + j] = 0.0f;
    for (int i = 0; i < n; i++) r[k * m + j] += q[i * m + k] * a[i * m + j];
    for (int i = 0; i < n; i++) a[i * m + j] -= q[i * m + k] * r[k * m + j];
  }
})";
  constexpr int kColumns = 37, kRows = 61;
  std::vector<float> data = floats(kRows * kColumns), matrix(kColumns * kColumns);
  matrix.back() = 1;
  std::vector<double> wanted(matrix.size());
  for (int a = 0; a < kColumns; ++a)
    for (int b = 0; b < kColumns; ++b)
      for (int i = 0; i < kRows; ++i)
        wanted[a * kColumns + b] += a == b ? 1.0 / kRows : double{data[i * kColumns + a]} * data[i * kColumns + b];
  launch("correlate", {{2}, {32}}, {matrix, data, kColumns, kRows});
  expect_near(matrix, wanted);

  std::vector<float> a = data, r(kColumns * kColumns), q(data.size());
  for (int k = 0; k < kColumns; ++k) {
    launch("norm", {{2}, {32}}, {a, r, k, kColumns, kRows});
    launch("project", {{2}, {32}}, {a, r, q, k, kColumns, kRows});
    launch("subtract", {{2}, {32}}, {a, r, q, k, kColumns, kRows});
  }
  std::vector<double> product(data.size());
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j)
      for (int k = 0; k <= j; ++k) product[i * kColumns + j] += double{q[i * kColumns + k]} * r[k * kColumns + j];
  expect_near(product, data, 1e-3);
}

}  // namespace
}  // namespace kmux::cpu
