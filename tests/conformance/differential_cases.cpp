#include "differential_cases.h"

#include "kmux/builder.h"
#include "kmux/program.h"

namespace kmux::conformance {
namespace {

/// The sources of one kernel: for the host, for CUDA and HIP, and for Metal.
struct Texts {
  const char* c;
  const char* cuda;
  const char* msl;
};

std::vector<float> numbers(std::size_t count, float step, std::size_t period) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = step * static_cast<float>(i % period) - 2;
  return values;
}

/// Adds the variants. `host` adds the steps of one variant; its argument is true for the host's variant.
template <class Host>
void add_variants(ProgramBuilder& builder, const Texts& texts, const Host& host) {
  builder.variant("c").source("k.c", texts.c);
  host(true);
  for (const char* dialect : {"hip", "cuda"}) {
    builder.variant(dialect).source(dialect == std::string("cuda") ? "k.cu" : "k.hip.cpp", texts.cuda);
    host(false);
  }
  builder.variant("msl").source("k.metal",
                                "#include <metal_stdlib>\nusing namespace metal;\n" + std::string(texts.msl));
  host(false);
}

// One program on every backend: the program of the example.
DifferentialCase saxpy() {
  Program program = load_program(KMUX_PORTABLE_PROGRAM).value();
  return {"saxpy",
          std::move(program),
          {{{1000}, numbers(1000, 0.37F, 101)}, {{1000}, numbers(1000, 0.11F, 97)}},
          {Arg(1.5F)},
          {1e-6, 1e-6}};
}

constexpr Texts kSoftmax = {
    R"(#include <math.h>
void softmax(const float* x, float* y, int rows) {
  for (int row = 0; row < rows; ++row, x += 64, y += 64) {
    float largest = x[0], total = 0;
    for (int j = 1; j < 64; ++j) if (x[j] > largest) largest = x[j];
    for (int j = 0; j < 64; ++j) total += y[j] = expf(x[j] - largest);
    for (int j = 0; j < 64; ++j) y[j] /= total;
  }
})",
    R"(extern "C" __global__ void softmax(const float* x, float* y, int rows) {
  __shared__ float tile[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t] = x[i];
  __syncthreads();
  float largest = tile[0], total = 0;
  for (int j = 1; j < 64; ++j) largest = tile[j] > largest ? tile[j] : largest;
  for (int j = 0; j < 64; ++j) total += __expf(tile[j] - largest);
  y[i] = __expf(tile[t] - largest) / total;
})",
    R"(kernel void softmax(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                    constant int& rows [[buffer(2)]], uint t [[thread_position_in_threadgroup]],
                    uint i [[thread_position_in_grid]]) {
  threadgroup float tile[64];
  tile[t] = x[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float largest = tile[0], total = 0;
  for (int j = 1; j < 64; ++j) largest = max(largest, tile[j]);
  for (int j = 0; j < 64; ++j) total += exp(tile[j] - largest);
  y[i] = exp(tile[t] - largest) / total;
})"};

DifferentialCase softmax() {
  ProgramBuilder builder("softmax");
  const Expr m = builder.symbol("m", dtype::kInt32);
  builder.input("x", dtype::kFloat32, {m, 64}).output("y", dtype::kFloat32, {m, 64});
  add_variants(builder, kSoftmax, [&](bool is_host) {
    LaunchBuilder launch = builder.launch("softmax");
    if (!is_host) launch.grid({m}).block({64});
    launch.args({"x", "y", "m"});
  });
  return {"softmax", builder.build().value(), {{{20, 64}, numbers(1280, 0.083F, 89)}}, {}, {1e-6, 1e-5}};
}

constexpr Texts kMatmul = {
    R"(void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
  }
})",
    R"(extern "C" __global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[8][8], tile_b[8][8];
  const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 8 + y, j = blockIdx.x * 8 + x;
  float sum = 0;
  for (int p = 0; p < k; p += 8) {
    tile_a[y][x] = i < m && p + x < k ? a[i * k + p + x] : 0;
    tile_b[y][x] = p + y < k && j < n ? b[(p + y) * n + j] : 0;
    __syncthreads();
    for (int q = 0; q < 8; ++q) sum += tile_a[y][q] * tile_b[q][x];
    __syncthreads();
  }
  if (i < m && j < n) c[i * n + j] = sum;
})",
    R"(kernel void matmul(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                   device float* c [[buffer(2)]], constant int& m [[buffer(3)]], constant int& n [[buffer(4)]],
                   constant int& k [[buffer(5)]], uint2 t [[thread_position_in_threadgroup]],
                   uint2 at [[thread_position_in_grid]]) {
  threadgroup float tile_a[8][8];
  threadgroup float tile_b[8][8];
  const int x = t.x, y = t.y, i = at.y, j = at.x;
  float sum = 0;
  for (int p = 0; p < k; p += 8) {
    tile_a[y][x] = i < m && p + x < k ? a[i * k + p + x] : 0;
    tile_b[y][x] = p + y < k && j < n ? b[(p + y) * n + j] : 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int q = 0; q < 8; ++q) sum += tile_a[y][q] * tile_b[q][x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (i < m && j < n) c[i * n + j] = sum;
})"};

DifferentialCase matmul() {
  ProgramBuilder builder("matmul");
  const Expr m = builder.symbol("m", dtype::kInt32);
  const Expr k = builder.symbol("k", dtype::kInt32);
  const Expr n = builder.symbol("n", dtype::kInt32);
  builder.input("a", dtype::kFloat32, {m, k}).input("b", dtype::kFloat32, {k, n}).output("c", dtype::kFloat32, {m, n});
  add_variants(builder, kMatmul, [&](bool is_host) {
    LaunchBuilder launch = builder.launch("matmul");
    if (!is_host) launch.grid({ceildiv(n, 8), ceildiv(m, 8)}).block({8, 8});
    launch.args({"a", "b", "c", "m", "n", "k"});
  });
  return {"matmul",
          builder.build().value(),
          {{{19, 13}, numbers(19 * 13, 0.25F, 23)}, {{13, 21}, numbers(13 * 21, 0.125F, 29)}},
          {},
          {1e-5, 1e-5}};
}

constexpr Texts kReverse = {
    R"(void reverse(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i / 32 * 32 + 31 - i % 32];
})",
    R"(extern "C" __global__ void reverse(const float* x, float* y, int n) {
  extern __shared__ float tile[];
  const int i = blockIdx.x * 32 + threadIdx.x;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = tile[31 - threadIdx.x];
})",
    R"(kernel void reverse(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant int& n [[buffer(2)]],
                    threadgroup float* tile [[threadgroup(0)]], uint t [[thread_position_in_threadgroup]],
                    uint i [[thread_position_in_grid]]) {
  tile[t] = x[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[i] = tile[31 - t];
})"};

DifferentialCase reverse() {
  ProgramBuilder builder("reverse");
  const Expr n = builder.symbol("n", dtype::kInt32);
  builder.input("x", dtype::kFloat32, {n}).output("y", dtype::kFloat32, {n});
  add_variants(builder, kReverse, [&](bool is_host) {
    builder.check(eq(floormod(n, 32), 0), "n is a multiple of 32");
    LaunchBuilder launch = builder.launch("reverse");
    if (!is_host) launch.grid({floordiv(n, 32)}).block({32}).dynamic_smem_bytes(128);
    launch.args({"x", "y", "n"});
  });
  return {"reverse", builder.build().value(), {{{320}, numbers(320, 0.7F, 83)}}, {}, {}};
}

constexpr Texts kRelax = {
    R"(void copy(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = x[i]; }
void blur(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] / 2 + (x[(i + n - 1) % n] + x[(i + 1) % n]) / 4;
})",
    R"(extern "C" __global__ void copy(const float* x, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = x[i];
}
extern "C" __global__ void blur(const float* x, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = x[i] / 2 + (x[(i + n - 1) % n] + x[(i + 1) % n]) / 4;
})",
    R"(kernel void copy(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant int& n [[buffer(2)]],
                 uint at [[thread_position_in_grid]]) {
  const int i = at;
  if (i < n) y[i] = x[i];
}
kernel void blur(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant int& n [[buffer(2)]],
                 uint at [[thread_position_in_grid]]) {
  const int i = at;
  if (i < n) y[i] = x[i] / 2 + (x[(i + n - 1) % n] + x[(i + 1) % n]) / 4;
})"};

// A workspace, a loop, a guard and a fill.
DifferentialCase relax() {
  ProgramBuilder builder("relax");
  const Expr n = builder.symbol("n", dtype::kInt32);
  builder.input("x", dtype::kFloat32, {n});
  const Expr rounds = builder.scalar("rounds", dtype::kInt32);
  builder.output("y", dtype::kFloat32, {n});
  add_variants(builder, kRelax, [&](bool is_host) {
    builder.workspace("w", n * 4);
    const auto launch = [&](BodyBuilder body, const char* kernel, const char* from, const char* to) {
      LaunchBuilder made = body.launch(kernel);
      if (!is_host) made.grid({ceildiv(n, 64)}).block({64});
      made.args({from, to, "n"});
    };
    builder.body().fill("y", n * 4, 0);
    builder.body().when(rounds > Expr(0), [&](BodyBuilder body) { launch(body, "copy", "x", "y"); });
    builder.body().loop("i", 0, rounds, [&](BodyBuilder body, const Expr&) {
      launch(body, "blur", "y", "w");
      launch(body, "blur", "w", "y");
    });
  });
  return {"relax", builder.build().value(), {{{200}, numbers(200, 1.5F, 41)}}, {Arg(std::int32_t{3})}, {1e-6, 1e-6}};
}

} // namespace

std::vector<DifferentialCase> differential_cases() {
  std::vector<DifferentialCase> cases;
  for (auto* make : {saxpy, softmax, matmul, reverse, relax}) cases.push_back(make());
  return cases;
}

} // namespace kmux::conformance
