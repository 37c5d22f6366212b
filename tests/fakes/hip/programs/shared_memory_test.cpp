// Barriers, static and dynamic shared memory, atomics.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "hip_programs.h"

namespace kmux {
namespace {

using testing::ElementsAreArray;
using testing::FloatNear;
using testing::Pointwise;

class SharedMemoryTest : public HipPrograms {};

const Expr kN = Expr::symbol("n");

// Declares x and y of n floats.
ProgramBuilder two_vectors(const std::string& name, const std::string& text) {
  ProgramBuilder builder(name);
  builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kFloat32, {kN}}).buffer("y", BufferParam{dtype::kFloat32, {kN}});
  with_source(builder, text);
  return builder;
}

TEST_F(SharedMemoryTest, ReversesBlocks) {
  ProgramBuilder builder = two_vectors("reverse", R"(
extern "C" __global__ void reverse(const float* x, float* y) {
  extern __shared__ float s[];
  const int first = blockIdx.x * blockDim.x;
  s[threadIdx.x] = x[first + threadIdx.x];
  __syncthreads();
  y[first + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
)");
  builder.launch("reverse").grid({floordiv(kN, 128)}).block({128}).dynamic_smem_bytes(128 * 4).args({"x", "y"});
  const Kernel kernel = compiled(builder);
  std::vector<float> x = numbers(512);
  const Tensor y = poisoned(kernel, {512}, dtype::kFloat32);
  run(kernel, {uploaded(kernel, {512}, x), y});
  for (std::size_t first = 0; first < 512; first += 128) std::reverse(x.begin() + first, x.begin() + first + 128);
  EXPECT_THAT(downloaded<float>(y), ElementsAreArray(x));
}

TEST_F(SharedMemoryTest, TransposesTiles) {
  ProgramBuilder builder("transpose");
  const Expr rows = builder.symbol("rows"), columns = builder.symbol("columns");
  builder.buffer("x", BufferParam{dtype::kFloat32, {rows, columns}});
  builder.buffer("y", BufferParam{dtype::kFloat32, {columns, rows}});
  with_source(builder, R"(
extern "C" __global__ void transpose(const float* x, float* y, int rows, int columns) {
  __shared__ float tile[16][17];
  int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = x[row * columns + column];
  __syncthreads();
  column = blockIdx.x * 16 + threadIdx.y;
  row = blockIdx.y * 16 + threadIdx.x;
  if (row < rows && column < columns) y[column * rows + row] = tile[threadIdx.x][threadIdx.y];
}
)");
  builder.launch("transpose")
      .grid({ceildiv(columns, 16), ceildiv(rows, 16)})
      .block({16, 16})
      .args({"x", "y"})
      .arg(rows)
      .arg(columns);
  const Kernel kernel = compiled(builder);
  const std::vector<float> x = numbers(50 * 37);
  const Tensor y = poisoned(kernel, {37, 50}, dtype::kFloat32);
  run(kernel, {uploaded(kernel, {50, 37}, x), y});
  std::vector<float> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i % 37 * 50 + i / 37] = x[i];
  EXPECT_THAT(downloaded<float>(y), ElementsAreArray(expected));
}

TEST_F(SharedMemoryTest, ReducesToOneSum) {
  ProgramBuilder builder = two_vectors("sum", R"(
extern "C" __global__ void sum(const float* x, float* total, int n) {
  __shared__ float parts[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  parts[threadIdx.x] = i < n ? x[i] : 0;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(total, parts[0]);
}
)");
  builder.body().fill("y", 4);
  builder.launch("sum").grid({ceildiv(kN, 256)}).block({256}).args({"x", "y"}).arg(kN);
  const Kernel kernel = compiled(builder);
  const std::vector<float> x = numbers(kOdd);
  const Tensor y = poisoned(kernel, {kOdd}, dtype::kFloat32);
  run(kernel, {uploaded(kernel, {kOdd}, x), y});
  EXPECT_NEAR(downloaded<float>(y)[0], std::accumulate(x.begin(), x.end(), 0.0), 1e-3);
}

TEST_F(SharedMemoryTest, CountsHistograms) {
  ProgramBuilder builder("histogram");
  builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kInt32, {kN}}).buffer("bins", BufferParam{dtype::kInt32, {16}});
  with_source(builder, R"(
extern "C" __global__ void histogram(const int* x, int* bins, int n) {
  __shared__ int own[16];
  if (threadIdx.x < 16) own[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&own[x[i]], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
)");
  builder.body().fill("bins", 64);
  builder.launch("histogram").grid({ceildiv(kN, 128)}).block({128}).args({"x", "bins"}).arg(kN);
  const Kernel kernel = compiled(builder);
  std::vector<int> x(kOdd), expected(16);
  for (std::size_t i = 0; i < x.size(); ++i) ++expected[x[i] = static_cast<int>(i * i % 16)];
  const Tensor bins = poisoned(kernel, {16}, dtype::kInt32);
  run(kernel, {uploaded(kernel, {kOdd}, x), bins});
  EXPECT_THAT(downloaded<int>(bins), ElementsAreArray(expected));
}

TEST_F(SharedMemoryTest, MultipliesMatrices) {
  ProgramBuilder builder("matmul");
  const Expr m = builder.symbol("m"), k = builder.symbol("k"), n = builder.symbol("n");
  builder.buffer("a", BufferParam{dtype::kFloat32, {m, k}}).buffer("b", BufferParam{dtype::kFloat32, {k, n}});
  builder.buffer("c", BufferParam{dtype::kFloat32, {m, n}});
  with_source(builder, R"(
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int m, int k, int n) {
  __shared__ float as[16][16], bs[16][16];
  const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int first = 0; first < k; first += 16) {
    const int ac = first + threadIdx.x, br = first + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < m && ac < k ? a[row * k + ac] : 0;
    bs[threadIdx.y][threadIdx.x] = br < k && column < n ? b[br * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
)");
  builder.launch("matmul")
      .grid({ceildiv(n, 16), ceildiv(m, 16)})
      .block({16, 16})
      .args({"a", "b", "c"})
      .arg(m)
      .arg(k)
      .arg(n);
  const Kernel kernel = compiled(builder);
  const std::vector<float> a = numbers(33 * 50), b = numbers(50 * 20, 5);
  const Tensor c = poisoned(kernel, {33, 20}, dtype::kFloat32);
  run(kernel, {uploaded(kernel, {33, 50}, a), uploaded(kernel, {50, 20}, b), c});
  std::vector<float> expected(33 * 20);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t j = 0; j < 50; ++j) expected[i] += a[i / 20 * 50 + j] * b[j * 20 + i % 20];
  }
  EXPECT_THAT(downloaded<float>(c), Pointwise(FloatNear(1e-4F), expected));
}

TEST_F(SharedMemoryTest, ComputesPrefixSums) {
  ProgramBuilder builder = two_vectors("scan", R"(
extern "C" __global__ void scan(const float* x, float* y) {
  extern __shared__ __align__(16) char bytes[];
  float* s = (float*)bytes;
  s[threadIdx.x] = x[threadIdx.x];
  for (int step = 1; step < blockDim.x; step *= 2) {
    __syncthreads();
    const float before = threadIdx.x >= step ? s[threadIdx.x - step] : 0;
    __syncthreads();
    s[threadIdx.x] += before;
  }
  y[threadIdx.x] = s[threadIdx.x];
}
)");
  builder.launch("scan").grid({1}).block({kN}).dynamic_smem_bytes(kN * 4).args({"x", "y"});
  const Kernel kernel = compiled(builder);
  const std::vector<float> x = numbers(300);
  const Tensor y = poisoned(kernel, {300}, dtype::kFloat32);
  run(kernel, {uploaded(kernel, {300}, x), y});
  std::vector<float> expected(x.size());
  std::partial_sum(x.begin(), x.end(), expected.begin());
  EXPECT_THAT(downloaded<float>(y), Pointwise(FloatNear(1e-4F), expected));
}

TEST_F(SharedMemoryTest, ComputesRowSoftmax) {
  ProgramBuilder builder("softmax");
  const Expr rows = builder.symbol("rows"), columns = builder.symbol("columns");
  builder.buffer("x", BufferParam{dtype::kFloat32, {rows, columns}});
  builder.buffer("y", BufferParam{dtype::kFloat32, {rows, columns}});
  with_source(builder, R"(
__device__ float reduced(float* s, float value, bool largest) {
  __syncthreads();
  s[threadIdx.x] = value;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    const float other = s[threadIdx.x + half];
    s[threadIdx.x] = largest ? fmaxf(s[threadIdx.x], other) : s[threadIdx.x] + other;
  }
  __syncthreads();
  return s[0];
}
extern "C" __global__ void softmax(const float* x, float* y, int columns) {
  extern __shared__ float s[];
  const float* row = x + blockIdx.x * columns;
  float largest = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) largest = fmaxf(largest, row[i]);
  largest = reduced(s, largest, true);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - largest);
  sum = reduced(s, sum, false);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) y[blockIdx.x * columns + i] = expf(row[i] - largest) / sum;
}
)");
  builder.launch("softmax").grid({rows}).block({64}).dynamic_smem_bytes(256).args({"x", "y"}).arg(columns);
  const Kernel kernel = compiled(builder);
  const std::vector<float> x = numbers(5 * 201);
  const Tensor y = poisoned(kernel, {5, 201}, dtype::kFloat32);
  run(kernel, {uploaded(kernel, {5, 201}, x), y});
  std::vector<float> expected;
  for (std::size_t row = 0; row < 5; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 201; ++i) sum += std::exp(double{x[row * 201 + i]});
    for (std::size_t i = 0; i < 201; ++i) {
      expected.push_back(static_cast<float>(std::exp(double{x[row * 201 + i]}) / sum));
    }
  }
  EXPECT_THAT(downloaded<float>(y), Pointwise(FloatNear(1e-6F), expected));
}

TEST_F(SharedMemoryTest, ComputesStencilWithHalo) {
  ProgramBuilder builder = two_vectors("stencil", R"(
extern "C" __global__ void stencil(const float* x, float* y, int n) {
  __shared__ float s[130];
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) s[threadIdx.x + 1] = x[i];
  if (threadIdx.x == 0) s[0] = i > 0 ? x[i - 1] : 0;
  if (threadIdx.x == 127 || i == n - 1) s[threadIdx.x + 2] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n) y[i] = s[threadIdx.x] - 2 * s[threadIdx.x + 1] + s[threadIdx.x + 2];
}
)");
  builder.launch("stencil").grid({ceildiv(kN, 128)}).block({128}).args({"x", "y"}).arg(kN);
  const Kernel kernel = compiled(builder);
  const std::vector<float> x = numbers(kOdd);
  const Tensor y = poisoned(kernel, {kOdd}, dtype::kFloat32);
  run(kernel, {uploaded(kernel, {kOdd}, x), y});
  std::vector<float> expected;
  for (std::size_t i = 0; i < x.size(); ++i) {
    expected.push_back((i > 0 ? x[i - 1] : 0) - 2 * x[i] + (i + 1 < x.size() ? x[i + 1] : 0));
  }
  EXPECT_THAT(downloaded<float>(y), Pointwise(FloatNear(1e-5F), expected));
}

TEST_F(SharedMemoryTest, OneThreadClaimsEachSlot) {
  ProgramBuilder builder("claim");
  builder.buffer("owner", BufferParam{dtype::kInt32, {10}}).buffer("most", BufferParam{dtype::kInt32, {1}});
  with_source(builder, R"(
extern "C" __global__ void claim(int* owner, int* most) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicCAS(&owner[i % 10], 0, i + 1);
  atomicMax(most, i);
}
)");
  builder.body().fill("owner", 40).fill("most", 4);
  builder.launch("claim").grid({4}).block({64}).args({"owner", "most"});
  const Kernel kernel = compiled(builder);
  const Tensor owner = poisoned(kernel, {10}, dtype::kInt32), most = poisoned(kernel, {1}, dtype::kInt32);
  run(kernel, {owner, most});
  const std::vector<int> owners = downloaded<int>(owner);
  for (int place = 0; place < 10; ++place) EXPECT_EQ((owners[place] - 1) % 10, place);
  EXPECT_EQ(downloaded<int>(most)[0], 255);
}

}  // namespace
}  // namespace kmux
