// Divergent threads, modelled on public suites (docs/design/0039-public-kernels.md). The text is our own.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "suite_kernel.h"

namespace kmux::cpu {
namespace {

class SuiteDivergenceTest : public SuiteKernels {};
INSTANTIATE_TEST_SUITE_P(Tiers, SuiteDivergenceTest, testing::Values("fast", "full"));

// A graph in CSR form, some of whose vertices have no edges.
struct Graph {
  std::vector<int> offsets = {0};
  std::vector<int> targets;
  Graph(const std::vector<int>& degrees, const std::vector<int>& ends) {
    std::size_t at = 0;
    for (const int degree : degrees) {
      for (int i = 0; i < degree; ++i) targets.push_back(ends[at++ % ends.size()]);
      offsets.push_back(static_cast<int>(targets.size()));
    }
  }
};

// bfs: the frontier as byte flags, written by several threads, and a flag that requests another round.
TEST_P(SuiteDivergenceTest, BfsUsesFlagFrontier) {
  source_ = R"(
__global__ void expand(const int* offsets, const int* targets, bool* frontier, bool* updating, const bool* visited, int* cost,
                       int n) {
  const int tid = blockIdx.x * 128 + threadIdx.x;
  if (tid < n && frontier[tid]) {
    frontier[tid] = false;
    for (int i = offsets[tid]; i < offsets[tid + 1]; i++) {
      const int id = targets[i];
      if (!visited[id]) {
        cost[id] = cost[tid] + 1;
        updating[id] = true;
      }
    }
  }
}
__global__ void advance(bool* frontier, bool* updating, bool* visited, int* over, int n) {
  const int tid = blockIdx.x * 128 + threadIdx.x;
  if (tid < n && updating[tid]) {
    frontier[tid] = true;
    visited[tid] = true;
    *over = 1;
    updating[tid] = false;
  }
})";
  constexpr int kVertices = 1003;
  Graph graph(integers(kVertices, 0, 4), integers(5000, 0, kVertices - 1));
  std::vector<char> frontier(kVertices), updating(kVertices), visited(kVertices);
  std::vector<int> cost(kVertices, -1), wanted(kVertices, -1), over = {1};
  frontier[1] = visited[1] = 1;
  cost[1] = wanted[1] = 0;
  for (int turn = 0; over[0] != 0 && turn < kVertices; ++turn) {
    over[0] = 0;
    launch("expand", {{8}, {128}}, {graph.offsets, graph.targets, frontier, updating, visited, cost, kVertices});
    launch("advance", {{8}, {128}}, {frontier, updating, visited, over, kVertices});
  }
  std::vector<int> queue = {1};
  for (std::size_t at = 0; at < queue.size(); ++at)
    for (int i = graph.offsets[queue[at]]; i < graph.offsets[queue[at] + 1]; ++i)
      if (int& found = wanted[graph.targets[i]]; found < 0)
        found = wanted[queue[at]] + 1, queue.push_back(graph.targets[i]);
  EXPECT_EQ(cost, wanted);
}

// particlefilter: searches that leave their loop by break, or the function by return; a generator with remainders in
// double.
TEST_P(SuiteDivergenceTest, SearchesWithEarlyExit) {
  source_ = R"(
__device__ double uniform(int* seeds, int index) {
  const int m = 2147483647, a = 1103515245, c = 12345;
  const int num = a * seeds[index] + c;
  seeds[index] = num % m;
  return fabs(seeds[index] / (double)m);
}
__device__ int by_halves(const double* cdf, int low, int high, double value) {
  while (low <= high) {
    const int middle = (low + high) / 2;
    if (cdf[middle] >= value) {
      if (middle == 0) return middle;
      if (cdf[middle - 1] < value) return middle;
      high = middle - 1;
    } else {
      low = middle + 1;
    }
  }
  return -1;
}
__global__ void find(const double* cdf, int* seeds, double* u, int* by_steps, int* by_halving, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    u[i] = uniform(seeds, i);
    int index = -1;
    for (int x = 0; x < n; x++) {
      if (cdf[x] >= u[i]) {
        index = x;
        break;
      }
    }
    if (index == -1) index = n - 1;
    by_steps[i] = index;
    index = by_halves(cdf, 0, n - 1, u[i]);
    by_halving[i] = index < 0 ? n - 1 : index;
  }
  __syncthreads();
})";
  constexpr int kParticles = 777;
  std::vector<double> cdf(kParticles), u(kParticles), wanted_u;
  std::vector<float> weights = floats(kParticles, 0, 1);
  double sum = 0;
  for (int i = 0; i < kParticles; ++i) cdf[i] = sum += weights[i] / (0.55 * kParticles);
  std::vector<int> seeds = integers(kParticles, 0, 1 << 30), steps(kParticles), halves(kParticles), wanted;
  for (const int seed : seeds) {
    const int next = static_cast<int>(1103515245U * static_cast<unsigned>(seed) + 12345U) % 2147483647;
    wanted_u.push_back(std::fabs(next / 2147483647.0));
    const auto found = std::ranges::lower_bound(cdf, wanted_u.back());
    wanted.push_back(std::min<int>(static_cast<int>(found - cdf.begin()), kParticles - 1));
  }
  launch("find", {{7}, {128}}, {cdf, seeds, u, steps, halves, kParticles});
  EXPECT_EQ(u, wanted_u);
  EXPECT_EQ(steps, wanted);
  EXPECT_EQ(halves, wanted);
}

// hybridsort: each thread merges two lists of vectors of four, with returns before and breaks within an endless loop.
TEST_P(SuiteDivergenceTest, MergesListsOfVectors) {
  source_ = R"(
__device__ float4 sorted(float4 r) {
  float4 s = {min(r.x, r.y), max(r.x, r.y), min(r.z, r.w), max(r.z, r.w)};
  float4 t = {min(s.x, s.z), min(s.y, s.w), max(s.x, s.z), max(s.y, s.w)};
  return {t.x, min(t.y, t.z), max(t.y, t.z), t.w};
}
__device__ float4 lowest(float4 a, float4 b) { return sorted({min(a.x, b.w), min(a.y, b.z), min(a.z, b.y), min(a.w, b.x)}); }
__device__ float4 highest(float4 a, float4 b) { return sorted({max(b.x, a.w), max(b.y, a.z), max(b.z, a.y), max(b.w, a.x)}); }
__global__ void first(const float4* from, float4* to, int quads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < quads) to[i] = sorted(from[i]);
}
__global__ void merge(const float4* from, float4* to, int length, int quads) {
  const int start = (blockIdx.x * blockDim.x + threadIdx.x) * length, half = length / 2, other = start + half;
  if (start >= quads) return;
  if (other >= quads) {
    for (int i = 0; i < quads - start; i++) to[start + i] = from[start + i];
    return;
  }
  int a_index = 0, b_index = 0, out = 0;
  float4 a = from[start], b = from[other];
  while (true) {
    const float4 low = lowest(a, b), high = highest(a, b);
    to[start + out++] = low;
    a = high;
    const bool a_more = a_index + 1 < half, b_more = b_index + 1 < half && other + b_index + 1 < quads;
    if (!a_more && !b_more) break;
    if (a_more && (!b_more || from[start + a_index + 1].x < from[other + b_index + 1].x)) {
      b = from[start + ++a_index];
    } else {
      b = from[other + ++b_index];
    }
  }
  to[start + out++] = a;
})";
  for (const int quads : {1, 64, 71}) {
    std::vector<float> x = floats(quads * 4), y(x.size()), wanted = x;
    std::ranges::sort(wanted);
    launch("first", {{3}, {32}}, {x, y, quads});
    for (int length = 2; length / 2 < quads; length *= 2) {
      x.swap(y);
      launch("merge", {{2}, {32}}, {x, y, length, quads});
    }
    EXPECT_EQ(y, wanted) << quads;
  }
}

// nqueen: an explicit stack in shared memory, one column per thread, and a loop that goes forth and back.
TEST_P(SuiteDivergenceTest, BacktracksOnSharedStack) {
  source_ = R"(
__global__ void queens(int n, int first_rows, unsigned* found) {
  __shared__ unsigned columns[96][10], left[96][10], right[96][10], open[96][10];
  const int tid = threadIdx.x, start = blockIdx.x * blockDim.x + tid;
  const unsigned mask = (1u << n) - 1;
  unsigned count = 0;
  if (start < first_rows) {
    const unsigned bit = 1u << start % n, second = 1u << start / n;
    if (!((bit | bit << 1 | bit >> 1) & second)) {
      int i = 0;
      columns[tid][0] = bit | second;
      left[tid][0] = (bit << 1 | second) << 1;
      right[tid][0] = (bit >> 1 | second) >> 1;
      open[tid][0] = mask & ~(columns[tid][0] | left[tid][0] | right[tid][0]);
      while (i >= 0) {
        if (open[tid][i] == 0) {
          i--;
        } else {
          const unsigned queen = -open[tid][i] & open[tid][i];
          open[tid][i] ^= queen;
          if (i + 3 == n) {
            count++;
          } else {
            columns[tid][i + 1] = columns[tid][i] | queen;
            left[tid][i + 1] = (left[tid][i] | queen) << 1;
            right[tid][i + 1] = (right[tid][i] | queen) >> 1;
            i++;
            open[tid][i] = mask & ~(columns[tid][i] | left[tid][i] | right[tid][i]);
          }
        }
      }
    }
  }
  found[start] = count;
})";
  std::vector<unsigned> found(96);
  launch("queens", {{1}, {96}}, {8, 64, found});
  EXPECT_EQ(std::accumulate(found.begin(), found.end(), 0U), 92U);
}

// interval: a stack in a per-thread array, with unknown indices, and arithmetic on structures.
TEST_P(SuiteDivergenceTest, IntervalStackInLocalMemory) {
  source_ = R"(
template <class T> struct Interval {
  T low, high;
  __device__ bool has(T x) const { return low <= x && x <= high; }
};
template <class T> __device__ Interval<T> operator*(Interval<T> a, Interval<T> b) {
  const T p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
  return {min(min(p, q), min(r, s)), max(max(p, q), max(r, s))};
}
template <class T> __device__ Interval<T> operator-(Interval<T> a, T b) { return {a.low - b, a.high - b}; }
template <class T, int DEPTH> struct Stack {
  Interval<T> all[DEPTH];
  int size = 0;
  __device__ void push(Interval<T> x) { all[size++] = x; }
  __device__ Interval<T> pop() { return all[--size]; }
};
__global__ void roots(const double* squares, int* counts, double* largest, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Stack<double, 64> stack;
  stack.push({-100.0, 90.0});
  int count = 0;
  double best = -1e9;
  while (stack.size > 0) {
    const Interval<double> x = stack.pop();
    if (!(x * x - squares[i]).has(0.0)) continue;
    const double middle = 0.5 * (x.low + x.high);
    if (x.high - x.low < 1e-4) {
      count++;
      best = max(best, middle);
      continue;
    }
    stack.push({x.low, middle});
    stack.push({middle, x.high});
  }
  counts[i] = count;
  largest[i] = best;
})";
  std::vector<double> squares, largest(50), wanted;
  for (int i = 0; i < 50; ++i)
    squares.push_back(i % 7 == 0 ? -i : i * 1.37), wanted.push_back(squares[i] >= 0 ? std::sqrt(squares[i]) : -1e9);
  squares[0] = 2, wanted[0] = std::sqrt(2);
  std::vector<int> counts(50);
  launch("roots", {{1}, {64}}, {squares, counts, largest, 50});
  expect_near(largest, wanted, 1e-4);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(counts[i] >= 2, squares[i] >= 0) << i;
}

// bh: a warp walks a tree together: a vote decides whether any of its threads needs the children, whose numbers are on
// a stack of the warp in shared memory.
TEST_P(SuiteDivergenceTest, WarpVotesGuideTreeWalk) {
  source_ = R"(
__global__ void near(const float* x, const float* centers, const float* radii, int* counts, int nodes, int n, float reach) {
  __shared__ int stack[4][32];
  const int warp = threadIdx.x / 32, i = blockIdx.x * blockDim.x + threadIdx.x;
  const float me = i < n ? x[i] : 1e9f;
  int count = 0, depth = 0;
  if (threadIdx.x % 32 == 0) stack[warp][0] = 0;
  __syncwarp();
  while (depth >= 0) {
    const int node = stack[warp][depth--];
    const bool touches = fabsf(centers[node] - me) <= radii[node] + reach;
    if (!__any_sync(0xffffffffu, touches)) continue;
    if (2 * node + 1 >= nodes) {
      if (fabsf(centers[node] - me) <= reach) count++;
    } else {
      depth += 2;
      __syncwarp();
      if (threadIdx.x % 32 == 0) {
        stack[warp][depth - 1] = 2 * node + 1;
        stack[warp][depth] = 2 * node + 2;
      }
      __syncwarp();
    }
  }
  if (i < n) counts[i] = count;
})";
  constexpr int kLeaves = 64, kNodes = 2 * kLeaves - 1, kThreads = 200;
  std::vector<float> leaves = floats(kLeaves, 0, 100), centers(kNodes), radii(kNodes), x = floats(kThreads, 0, 100);
  std::ranges::sort(leaves);
  std::ranges::sort(x);
  const std::function<std::pair<float, float>(int)> extent = [&](int node) {
    std::pair<float, float> of;
    if (2 * node + 1 >= kNodes)
      of = {leaves[node - kLeaves + 1], leaves[node - kLeaves + 1]};
    else
      of = {std::min(extent(2 * node + 1).first, extent(2 * node + 2).first),
            std::max(extent(2 * node + 1).second, extent(2 * node + 2).second)};
    centers[node] = (of.first + of.second) / 2;
    radii[node] = (of.second - of.first) / 2 + 1e-3F;
    return of;
  };
  extent(0);
  for (int i = 0; i < kLeaves; ++i) centers[kLeaves - 1 + i] = leaves[i];
  std::vector<int> counts(kThreads), wanted;
  for (const float at : x)
    wanted.push_back(
        static_cast<int>(std::ranges::count_if(leaves, [&](float leaf) { return std::fabs(leaf - at) <= 7.0F; })));
  launch("near", {{2}, {128}}, {x, centers, radii, counts, kNodes, kThreads, 7.0F});
  EXPECT_EQ(counts, wanted);
}

// cc: union and find by atomics, with loops that end when no other thread interferes.
TEST_P(SuiteDivergenceTest, AtomicUnionFindComponents) {
  source_ = R"(
__device__ int root(int* parents, int x) {
  int current = parents[x];
  if (current != x) {
    int last = x, next;
    while (current > (next = parents[current])) {
      parents[last] = next;
      last = current;
      current = next;
    }
  }
  return current;
}
__global__ void start(int* parents, int n) {
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) parents[v] = v;
}
__global__ void join(const int* offsets, const int* targets, int* parents, int n) {
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
    int mine = root(parents, v);
    for (int i = offsets[v]; i < offsets[v + 1]; i++) {
      int other = root(parents, targets[i]);
      bool repeat;
      do {
        repeat = false;
        if (mine != other) {
          int before;
          if (mine < other) {
            if ((before = atomicCAS(&parents[other], other, mine)) != other) other = before, repeat = true;
          } else {
            if ((before = atomicCAS(&parents[mine], mine, other)) != mine) mine = before, repeat = true;
          }
        }
      } while (repeat);
    }
  }
}
__global__ void flatten(int* parents, int n) {
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
    int next, current = parents[v];
    while (current > (next = parents[current])) current = next;
    parents[v] = current;
  }
})";
  constexpr int kVertices = 1500;
  Graph graph(integers(kVertices, 0, 2), integers(kVertices, 0, kVertices - 1));
  std::vector<int> parents(kVertices), wanted(kVertices);
  std::iota(wanted.begin(), wanted.end(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (int v = 0; v < kVertices; ++v)
      for (int i = graph.offsets[v]; i < graph.offsets[v + 1]; ++i) {
        int &a = wanted[v], &b = wanted[graph.targets[i]];
        changed |= a != b;
        a = b = std::min(a, b);
      }
  }
  launch("start", {{3}, {96}}, {parents, kVertices});
  launch("join", {{3}, {96}}, {graph.offsets, graph.targets, parents, kVertices});
  launch("flatten", {{3}, {96}}, {parents, kVertices});
  EXPECT_EQ(parents, wanted);
}

}  // namespace
}  // namespace kmux::cpu
