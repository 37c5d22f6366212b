// The kernels of kernels/ as native C++ for a processor. Compiled when the bars are measured, by each available
// compiler, and called with the kernel's buffers and scalars in its order.
#include <cmath>
#include <cstdint>

extern "C" std::int32_t gemm(const float* a, const float* b, const float* bias, float* c, std::int64_t rows,
                             std::int64_t columns, std::int64_t depth, std::int32_t activation);

namespace {

constexpr long kTile = 16;
constexpr long kBlock = 256;

const float* in(void* const* buffers, int which) { return static_cast<const float*>(buffers[which]); }
float* out(void* const* buffers) { return static_cast<float*>(buffers[0]); }

}  // namespace

extern "C" {

void vadd(void* const* buffers, const int* scalars) {
  float* __restrict c = out(buffers);
  const float* __restrict a = in(buffers, 1);
  const float* __restrict b = in(buffers, 2);
  const long n = scalars[0];
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

void saxpy(void* const* buffers, const int* scalars) {
  float* __restrict y = out(buffers);
  const float* __restrict x = in(buffers, 1);
  const float* __restrict z = in(buffers, 2);
  const long n = scalars[0];
  for (long i = 0; i < n; ++i) y[i] = 2.5f * x[i] + z[i];
}

void silu(void* const* buffers, const int* scalars) {
  float* __restrict y = out(buffers);
  const float* __restrict x = in(buffers, 1);
  const long n = scalars[0];
  for (long i = 0; i < n; ++i) y[i] = x[i] / (1.0f + std::exp(-x[i]));
}

void stencil(void* const* buffers, const int* scalars) {
  float* __restrict to = out(buffers);
  const float* __restrict from = in(buffers, 1);
  const long n = scalars[0];
  for (long y = 1; y < n - 1; ++y) {
    const float* p = from + y * n;
    float* q = to + y * n;
    for (long x = 1; x < n - 1; ++x) q[x] = 0.5f * p[x] + 0.125f * (p[x - 1] + p[x + 1] + p[x - n] + p[x + n]);
  }
}

// The kernel's tree, block by block.
void tree_sum(void* const* buffers, const int* scalars) {
  float* __restrict sums = out(buffers);
  const float* __restrict x = in(buffers, 1);
  const long n = scalars[0];
  for (long block = 0; block * kBlock < n; ++block) {
    float part[kBlock];
    for (long t = 0; t < kBlock; ++t) {
      const long i = block * kBlock + t;
      part[t] = i < n ? x[i] : 0.0f;
    }
    for (long s = kBlock / 2; s > 0; s >>= 1) {
      for (long t = 0; t < s; ++t) part[t] += part[t + s];
    }
    sums[block] = part[0];
  }
}

// Uses as many parallel sums as hide the latency of an addition.
void stride_sum(void* const* buffers, const int* scalars) {
  constexpr long kSums = 64;
  const float* __restrict x = in(buffers, 1);
  const long n = scalars[0];
  float sums[kSums] = {};
  long i = 0;
  for (; i + kSums <= n; i += kSums) {
    for (long k = 0; k < kSums; ++k) sums[k] += x[i + k];
  }
  float sum = 0.0f;
  for (const float one : sums) sum += one;
  for (; i < n; ++i) sum += x[i];
  out(buffers)[0] += sum;
}

// The kernel's tiles, as arrays.
void matmul_tiled(void* const* buffers, const int* scalars) {
  float* __restrict c = out(buffers);
  const float* __restrict a = in(buffers, 1);
  const float* __restrict b = in(buffers, 2);
  const long n = scalars[0];
  for (long row = 0; row < n; row += kTile) {
    for (long column = 0; column < n; column += kTile) {
      float sums[kTile][kTile] = {};
      for (long t = 0; t < n; t += kTile) {
        float as[kTile][kTile];
        float bs[kTile][kTile];
        for (long y = 0; y < kTile; ++y) {
          for (long x = 0; x < kTile; ++x) {
            as[y][x] = a[(row + y) * n + t + x];
            bs[y][x] = b[(t + y) * n + column + x];
          }
        }
        for (long y = 0; y < kTile; ++y) {
          for (long k = 0; k < kTile; ++k) {
            for (long x = 0; x < kTile; ++x) sums[y][x] += as[y][k] * bs[k][x];
          }
        }
      }
      for (long y = 0; y < kTile; ++y) {
        for (long x = 0; x < kTile; ++x) c[(row + y) * n + column + x] = sums[y][x];
      }
    }
  }
}

// Calls the packed, register-blocked product of bench/kernels/packed_gemm.cpp, which is compiled beside this file.
void matmul_packed(void* const* buffers, const int* scalars) {
  static const float zeros[4096] = {};
  const std::int64_t n = scalars[0];
  gemm(in(buffers, 1), in(buffers, 2), zeros, out(buffers), n, n, n, 0);
}

// Loops i-k-j, the innermost along rows.
void matmul_naive(void* const* buffers, const int* scalars) {
  float* __restrict c = out(buffers);
  const float* __restrict a = in(buffers, 1);
  const float* __restrict b = in(buffers, 2);
  const long n = scalars[0];
  for (long i = 0; i < n; ++i) {
    float* q = c + i * n;
    for (long j = 0; j < n; ++j) q[j] = 0.0f;
    for (long k = 0; k < n; ++k) {
      const float factor = a[i * n + k];
      const float* p = b + k * n;
      for (long j = 0; j < n; ++j) q[j] += factor * p[j];
    }
  }
}

void mandelbrot(void* const* buffers, const int* scalars) {
  int* steps_of = static_cast<int*>(buffers[0]);
  const int width = scalars[0];
  const int height = scalars[1];
  const int limit = scalars[2];
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float cr = -2.0f + 3.0f * static_cast<float>(x) / static_cast<float>(width);
      const float ci = -1.5f + 3.0f * static_cast<float>(y) / static_cast<float>(height);
      float zr = 0.0f;
      float zi = 0.0f;
      int steps = 0;
      while (steps < limit && zr * zr + zi * zi < 4.0f) {
        const float next = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = next;
        ++steps;
      }
      steps_of[y * width + x] = steps;
    }
  }
}

// Tile by tile, so that whole cache lines are used on both sides.
void transpose(void* const* buffers, const int* scalars) {
  float* __restrict to = out(buffers);
  const float* __restrict from = in(buffers, 1);
  const long n = scalars[0];
  for (long row = 0; row < n; row += kTile) {
    for (long column = 0; column < n; column += kTile) {
      for (long y = 0; y < kTile; ++y) {
        for (long x = 0; x < kTile; ++x) to[(column + y) * n + row + x] = from[(row + x) * n + column + y];
      }
    }
  }
}

}  // extern "C"
