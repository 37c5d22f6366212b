// Branches by data and by position, and long scalar code, modelled on public suites
// (docs/design/0039-public-kernels.md). The text is our own.
#include <algorithm>
#include <cmath>
#include <map>

#include "suite_kernel.h"

namespace kmux::cpu {
namespace {

class SuiteBranchesTest : public SuiteKernels {};
INSTANTIATE_TEST_SUITE_P(Tiers, SuiteBranchesTest, testing::Values("fast", "full"));

// cfd: neighbours of three kinds, functions with references, structures of arrays.
TEST_P(SuiteBranchesTest, NeighborsOfThreeKinds) {
  source_ = R"(
__device__ inline void velocity_of(float density, const float3& momentum, float3& velocity) {
  velocity.x = momentum.x / density;
  velocity.y = momentum.y / density;
  velocity.z = momentum.z / density;
}
__device__ inline float square_of(const float3& v) { return v.x * v.x + v.y * v.y + v.z * v.z; }
__global__ void flux(int cells, const int* neighbours, const float* normals, const float* state, float* fluxes) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= cells) return;
  const float3 momentum = {state[i + cells], state[i + 2 * cells], state[i + 3 * cells]};
  float3 velocity;
  velocity_of(state[i], momentum, velocity);
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < 4; j++) {
    const int nb = neighbours[i + j * cells];
    const float3 normal = {normals[i + j * cells], normals[i + (j + 4) * cells], normals[i + (j + 8) * cells]};
    const float length = sqrtf(square_of(normal));
    if (nb >= 0) {
      const float3 its = {state[nb + cells], state[nb + 2 * cells], state[nb + 3 * cells]};
      float3 other;
      velocity_of(state[nb], its, other);
      sum += length * (state[nb] - state[i]) + normal.x * other.x + normal.y * (velocity.y + other.y);
    } else if (nb == -1) {
      sum += normal.z * velocity.z;
    } else if (nb == -2) {
      sum -= 0.5f * length * sqrtf(square_of(velocity));
    }
  }
  fluxes[i] = sum;
})";
  constexpr int kCells = 300;
  std::vector<int> neighbours = integers(kCells * 4, -3, kCells - 1);
  for (int i = 0; i < kCells; i += 3) neighbours[i] = -1 - i % 4;
  std::vector<float> normals = floats(kCells * 12), state = floats(kCells * 4, 0.5F, 2), fluxes(kCells);
  std::vector<double> wanted(kCells);
  for (int i = 0; i < kCells; ++i)
    for (int j = 0; j < 4; ++j) {
      const int nb = neighbours[i + j * kCells];
      const auto normal = [&](int axis) { return double{normals[i + (j + 4 * axis) * kCells]}; };
      const auto velocity = [&](int cell, int axis) { return double{state[cell + (axis + 1) * kCells]} / state[cell]; };
      const double length = std::hypot(normal(0), normal(1), normal(2));
      if (nb >= 0)
        wanted[i] += length * (double{state[nb]} - state[i]) + normal(0) * velocity(nb, 0) +
                     normal(1) * (velocity(i, 1) + velocity(nb, 1));
      else if (nb == -1)
        wanted[i] += normal(2) * velocity(i, 2);
      else if (nb == -2)
        wanted[i] -= 0.5 * length * std::hypot(velocity(i, 0), velocity(i, 1), velocity(i, 2));
    }
  launch("flux", {{3}, {128}}, {kCells, neighbours, normals, state, fluxes});
  expect_near(fluxes, wanted);
}

// gaussian: a vector and a rectangle of threads, most of which return at once, launched for every column.
TEST_P(SuiteBranchesTest, EliminationWithEarlyReturns) {
  source_ = R"(
__global__ void factors(float* m, const float* a, int size, int t) {
  if (threadIdx.x + blockIdx.x * blockDim.x >= size - 1 - t) return;
  *(m + size * (blockDim.x * blockIdx.x + threadIdx.x + t + 1) + t) =
      *(a + size * (blockDim.x * blockIdx.x + threadIdx.x + t + 1) + t) / *(a + size * t + t);
}
__global__ void rows(const float* m, float* a, float* b, int size, int t) {
  if (threadIdx.x + blockIdx.x * blockDim.x >= size - 1 - t) return;
  if (threadIdx.y + blockIdx.y * blockDim.y >= size - t) return;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  a[size * (x + 1 + t) + (y + t)] -= m[size * (x + 1 + t) + t] * a[size * t + (y + t)];
  if (y == 0) b[x + 1 + t] -= m[size * (x + 1 + t) + (y + t)] * b[t];
})";
  constexpr int kSize = 37;
  std::vector<float> m(kSize * kSize), a = floats(kSize * kSize), b = floats(kSize);
  for (int i = 0; i < kSize; ++i) a[i * kSize + i] += 9;
  const std::vector<float> a0 = a, b0 = b;
  for (int t = 0; t < kSize - 1; ++t) {
    launch("factors", {{2}, {24}}, {m, a, kSize, t});
    launch("rows", {{10, 10}, {4, 4}}, {m, a, b, kSize, t});
  }
  std::vector<double> x(kSize), product(kSize);
  for (int i = kSize - 1; i >= 0; --i) {
    x[i] = b[i];
    for (int j = i + 1; j < kSize; ++j) x[i] -= a[i * kSize + j] * x[j];
    x[i] /= a[i * kSize + i];
  }
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) product[i] += a0[i * kSize + j] * x[j];
  expect_near(product, b0, 1e-3);
}

// streamcluster: a cost with a branch on which a point changes its centre, lowered into one table per thread;
// coordinates of one point in dynamic shared memory.
TEST_P(SuiteBranchesTest, ClusteringWithMovingPoints) {
  source_ = R"(
struct Point { float weight, cost; int center; };
__device__ float distance(const float* coordinates, const float* to, int p, int n, int dimensions) {
  float sum = 0.0f;
  for (int i = 0; i < dimensions; i++) {
    const float delta = coordinates[i * n + p] - to[i];
    sum += delta * delta;
  }
  return sum;
}
__global__ void gain(int n, int dimensions, int x, const Point* points, const float* coordinates, const int* table,
                     float* lower, char* moves, int centers) {
  extern __shared__ float to[];
  if (threadIdx.x == 0)
    for (int i = 0; i < dimensions; i++) to[i] = coordinates[i * n + x];
  __syncthreads();
  const int p = blockDim.x * blockIdx.x + threadIdx.x;
  if (p >= n) return;
  float* mine = &lower[p * (centers + 1)];
  const float cost = distance(coordinates, to, p, n, dimensions) * points[p].weight;
  if (cost < points[p].cost) {
    moves[p] = 1;
    mine[centers] += cost - points[p].cost;
  } else {
    mine[table[points[p].center]] += points[p].cost - cost;
  }
})";
  constexpr int kPoints = 203, kDimensions = 5, kCenters = 6;
  struct Point {
    float weight, cost;
    int center;
  };
  std::vector<float> coordinates = floats(kPoints * kDimensions), lower(kPoints * (kCenters + 1)),
                     weights = floats(kPoints, 0.5F, 2);
  std::vector<int> centers = integers(kPoints, 0, 19), table = integers(20, 0, kCenters - 1);
  std::vector<Point> points;
  std::vector<char> moves(kPoints), wanted_moves(kPoints);
  std::vector<double> wanted(lower.size());
  for (int p = 0; p < kPoints; ++p) points.push_back({weights[p], 1.5F + weights[p], centers[p]});
  for (int p = 0; p < kPoints; ++p) {
    double cost = 0;
    for (int d = 0; d < kDimensions; ++d)
      cost += std::pow(double{coordinates[d * kPoints + p]} - coordinates[d * kPoints + 42], 2);
    cost *= weights[p];
    wanted_moves[p] = cost < points[p].cost;
    if (wanted_moves[p])
      wanted[p * (kCenters + 1) + kCenters] = cost - points[p].cost;
    else
      wanted[p * (kCenters + 1) + table[centers[p]]] = points[p].cost - cost;
  }
  launch("gain", {{4}, {64}, kDimensions * 4},
         {kPoints, kDimensions, 42, points, coordinates, table, lower, moves, kCenters});
  EXPECT_EQ(moves, wanted_moves);
  expect_near(lower, wanted);
}

// myocyte: threads of a block compute different systems of equations, long code with functions and guarded quotients.
TEST_P(SuiteBranchesTest, ThreadsSolveDifferentEquations) {
  source_ = R"(
__device__ void membrane(const float* y, float* f, float time) {
  const float v = y[0];
  const float a_m = fabsf(v + 47.13f) > 0.001f ? 0.32f * (v + 47.13f) / (1 - expf(-0.1f * (v + 47.13f))) : 3.2f;
  const float b_m = 0.08f * expf(-v / 11.0f);
  float a_h, b_h;
  if (v >= -40) {
    a_h = 0;
    b_h = 1 / (0.13f * (1 + expf(-(v + 10.66f) / 11.1f)));
  } else {
    a_h = 0.135f * expf((80 + v) / -6.8f);
    b_h = 3.56f * expf(0.079f * v) + 3.1e5f * expf(0.35f * v);
  }
  f[0] = a_m * (1 - y[1]) - b_m * y[1] + (fmodf(time, 100.0f) <= 5 ? 9.5f : 0.0f);
  f[1] = a_h * (1 - y[2]) - b_h * y[2];
  f[2] = logf(y[3]) * 26.7f / 2;
}
__device__ void calcium(const float* y, float* f) {
  for (int i = 0; i < 3; i++) {
    const float bound = powf(y[i + 1], 2) / (powf(y[i + 1], 2) + 0.25f);
    f[i] = bound - 0.1f * (i == 0 ? y[1] : y[i] * bound);
  }
}
__global__ void system(const float* all, float* results, float time, int workload) {
  if (blockIdx.x >= workload) return;
  const float* y = all + blockIdx.x * 4;
  float* f = results + blockIdx.x * 6;
  if (threadIdx.x == 0) membrane(y, f, time);
  if (threadIdx.x == 1) calcium(y, f + 3);
})";
  constexpr int kWorkload = 9;
  std::vector<float> all = floats(kWorkload * 4, 0.1F, 2), results(kWorkload * 6);
  for (int i = 0; i < kWorkload; ++i) all[i * 4] = static_cast<float>(-80 + 15 * i);
  all[4] = -47.13F;
  std::vector<double> wanted(results.size());
  for (int i = 0; i < kWorkload; ++i) {
    const double v = all[i * 4], y1 = all[i * 4 + 1], y2 = all[i * 4 + 2], y3 = all[i * 4 + 3];
    const double a_m = std::fabs(v + 47.13) > 0.001 ? 0.32 * (v + 47.13) / (1 - std::exp(-0.1 * (v + 47.13))) : 3.2;
    const double a_h = v >= -40 ? 0 : 0.135 * std::exp((80 + v) / -6.8);
    const double b_h = v >= -40 ? 1 / (0.13 * (1 + std::exp(-(v + 10.66) / 11.1)))
                                : 3.56 * std::exp(0.079 * v) + 3.1e5 * std::exp(0.35 * v);
    double* f = &wanted[i * 6];
    f[0] = a_m * (1 - y1) - 0.08 * std::exp(-v / 11) * y1 + 9.5;
    f[1] = a_h * (1 - y2) - b_h * y2;
    f[2] = std::log(y3) * 26.7 / 2;
    for (int k = 0; k < 3; ++k) {
      const double square = std::pow(double{all[i * 4 + k + 1]}, 2), bound = square / (square + 0.25);
      f[3 + k] = bound - 0.1 * (k == 0 ? y1 : all[i * 4 + k] * bound);
    }
  }
  launch("system", {{kWorkload + 2}, {32}}, {all, results, 304.0F, kWorkload});
  expect_near(results, wanted, 1e-3);
}

// mummergpu: one walk down a trie per string, which follows links where it cannot continue, in nested loops with
// several exits, one of them a goto.
TEST_P(SuiteBranchesTest, MatchesStringsInTrie) {
  source_ = R"(
__global__ void match(const int* children, const int* links, const int* depths, const char* text, const int* starts,
                      int* longest, int strings) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= strings) return;
  int node = 0, best = 0, at = starts[s];
  for (; at < starts[s + 1]; at++) {
    int letter;
    switch (text[at]) {
      case 'a': letter = 0; break;
      case 'c': letter = 1; break;
      case 'g': letter = 2; break;
      case 't': letter = 3; break;
      default: node = 0; continue;
    }
    while (children[node * 4 + letter] < 0) {
      if (node == 0) goto next;
      node = links[node];
    }
    node = children[node * 4 + letter];
    if (depths[node] > best) best = depths[node];
  next:;
  }
  longest[s] = best;
})";
  // Words are those of a reference's substrings of up to six letters; a link leads to the longest proper suffix.
  const std::string letters = "acgt";
  std::string reference, text;
  for (const int i : integers(200, 0, 3)) reference += letters[i];
  std::map<std::string, int> numbers = {{"", 0}};
  std::vector<std::string> words = {""};
  for (int length = 1; length <= 6; ++length)
    for (std::size_t i = 0; i + length <= reference.size(); ++i)
      if (numbers.emplace(reference.substr(i, length), static_cast<int>(words.size())).second)
        words.push_back(reference.substr(i, length));
  std::vector<int> children(words.size() * 4, -1), links(words.size()), depths(words.size()), starts = {0};
  for (std::size_t i = 0; i < words.size(); ++i) {
    depths[i] = static_cast<int>(words[i].size());
    if (i > 0) links[i] = numbers[words[i].substr(1)];
    for (int l = 0; l < 4; ++l)
      if (const auto found = numbers.find(words[i] + letters[l]); found != numbers.end())
        children[i * 4 + l] = found->second;
  }
  std::vector<int> longest(100), wanted;
  for (const int length : integers(100, 0, 40)) {
    std::string string;
    for (const int i : integers(length, 0, 40)) string += i == 40 ? 'n' : letters[i % 4];
    int best = 0;
    for (std::size_t i = 0; i < string.size(); ++i)
      for (std::size_t n = 1; n <= 6 && i + n <= string.size(); ++n)
        if (reference.find(string.substr(i, n)) != std::string::npos) best = std::max(best, static_cast<int>(n));
    wanted.push_back(best);
    text += string;
    starts.push_back(static_cast<int>(text.size()));
  }
  std::vector<char> bytes(text.begin(), text.end());
  launch("match", {{4}, {32}}, {children, links, depths, bytes, starts, longest, 100});
  EXPECT_EQ(longest, wanted);
}

// adi: sweeps along rows and back, one thread per row; fdtd-2d: three fields whose kernels skip borders.
TEST_P(SuiteBranchesTest, ForwardAndBackwardSweeps) {
  source_ = R"(
__global__ void forth(const float* a, float* b, float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = 1; j < n; j++) {
      x[i * n + j] = x[i * n + j] - x[i * n + j - 1] * a[i * n + j] / b[i * n + j - 1];
      b[i * n + j] = b[i * n + j] - a[i * n + j] * a[i * n + j] / b[i * n + j - 1];
    }
}
__global__ void last(const float* b, float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i * n + n - 1] = x[i * n + n - 1] / b[i * n + n - 1];
}
__global__ void back(const float* a, const float* b, float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = n - 2; j >= 0; j--) x[i * n + j] = (x[i * n + j] - x[i * n + j + 1] * a[i * n + j + 1]) / b[i * n + j];
})";
  constexpr int kSide = 43;
  std::vector<float> a = floats(kSide * kSide), b = floats(kSide * kSide, 4, 5), x = floats(kSide * kSide);
  const std::vector<float> b0 = b, right = x;
  launch("forth", {{2}, {32}}, {a, b, x, kSide});
  launch("last", {{2}, {32}}, {b, x, kSide});
  launch("back", {{2}, {32}}, {a, b, x, kSide});
  // x solves a symmetric tridiagonal system in each row.
  std::vector<double> product(right.size());
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      const int at = i * kSide + j;
      product[at] = double{b0[at]} * x[at] + (j > 0 ? double{a[at]} * x[at - 1] : 0) +
                    (j + 1 < kSide ? double{a[at + 1]} * x[at + 1] : 0);
    }
  expect_near(product, right);
}

// chacha20: rotations, one block of the stream per thread; crc64: a table in constant memory that the thread's bytes
// index.
TEST_P(SuiteBranchesTest, ChaChaRotationsAndCrcTables) {
  source_ = R"(
#define ROTATE(v, n) (((v) << (n)) | ((v) >> (32 - (n))))
#define QUARTER(a, b, c, d)          \
  x[a] += x[b], x[d] ^= x[a], x[d] = ROTATE(x[d], 16); \
  x[c] += x[d], x[b] ^= x[c], x[b] = ROTATE(x[b], 12); \
  x[a] += x[b], x[d] ^= x[a], x[d] = ROTATE(x[d], 8);  \
  x[c] += x[d], x[b] ^= x[c], x[b] = ROTATE(x[b], 7)
__global__ void chacha(const unsigned* start, unsigned* stream, int blocks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= blocks) return;
  unsigned x[16], y[16];
  for (int j = 0; j < 16; j++) y[j] = x[j] = start[j] + (j == 12 ? i : 0);
  for (int round = 0; round < 10; round++) {
    QUARTER(0, 4, 8, 12);
    QUARTER(1, 5, 9, 13);
    QUARTER(2, 6, 10, 14);
    QUARTER(3, 7, 11, 15);
    QUARTER(0, 5, 10, 15);
    QUARTER(1, 6, 11, 12);
    QUARTER(2, 7, 8, 13);
    QUARTER(3, 4, 9, 14);
  }
  for (int j = 0; j < 16; j++) stream[i * 16 + j] = x[j] + y[j];
}
__constant__ unsigned char table[16] = {0, 7, 14, 9, 28, 27, 18, 21, 56, 63, 54, 49, 36, 35, 42, 45};
__global__ void crc(const unsigned char* text, const int* starts, unsigned char* sums, int strings) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= strings) return;
  unsigned char sum = 0;
  for (int i = starts[s]; i < starts[s + 1]; i++) {
    sum = (unsigned char)(sum << 4) ^ table[(sum >> 4) ^ (text[i] >> 4)];
    sum = (unsigned char)(sum << 4) ^ table[(sum >> 4) ^ (text[i] & 15)];
  }
  sums[s] = sum;
})";
  // RFC 8439, 2.3.2: key 00 01 ... 1f, block count 1, nonce 00 00 00 09 00 00 00 4a 00 00 00 00; the state after it.
  std::vector<unsigned> start = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 0x03020100, 0x07060504,
                                 0x0b0a0908, 0x0f0e0d0c, 0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c,
                                 0x00000001, 0x09000000, 0x4a000000, 0x00000000};
  const std::vector<unsigned> after = {0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7, 0x0368c033,
                                       0x9aaa2204, 0x4e6cd4c3, 0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9,
                                       0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2};
  std::vector<unsigned> stream(16 * 40);
  launch("chacha", {{1}, {64}}, {start, stream, 40});
  EXPECT_EQ(std::vector<unsigned>(stream.begin(), stream.begin() + 16), after);
  // CRC-8 with polynomial 7; "123456789" gives its check value.
  const std::string text =
      "123456789"
      "a"
      "";
  std::vector<unsigned char> bytes(text.begin(), text.end()), sums(3);
  std::vector<int> starts = {0, 9, 10, 10};
  launch("crc", {{1}, {32}}, {bytes, starts, sums, 3});
  EXPECT_EQ(sums[0], 0xf4);
  EXPECT_EQ(sums[2], 0);
}

// A uniform value that only some threads carry out of a loop.
TEST_P(SuiteBranchesTest, DivergentReturnCarriesUniformSum) {
  source_ =
      "__device__ int f(const int* x, int t, int n) {\nint sum = 0;\nfor (int i = 0; i < n; ++i) {\nsum += x[sum & "
      "7];\n"
      "if (t & 4) return sum | t;\n}\nreturn 77;\n}\n"
      "__global__ void k(const int* x, int* y, int n) { y[threadIdx.x] = f(x, threadIdx.x, n); }\n";
  std::vector<int> x = {64, 0, 0, 0, 0, 0, 0, 0}, y(40);
  launch("k", {{1}, {40}}, {x, y, 6});
  for (int t = 0; t < 40; ++t) EXPECT_EQ(y[static_cast<std::size_t>(t)], (t & 4) != 0 ? 64 | t : 77) << t;
}

}  // namespace
}  // namespace kmux::cpu
