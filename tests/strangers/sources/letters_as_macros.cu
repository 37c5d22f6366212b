//! kmux
//! kernel scale(out x: f32[64], out ok: i32[64])
//!   launch scale<<<1, 64>>>(x)
//!   launch compare<<<1, 64>>>(x, ok)
// Macros of one letter stand before standard headers, which have templates with such parameters; a macro uses M_PI, which no include declares.
#define T float
#define N 64
#define A 1
#define U unsigned
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <math.h>
#include <type_traits>
#include <utility>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define TURN (A * 2 * M_PI)
typedef uint32_t Index;

__global__ void scale(T* x) {
  const Index i = threadIdx.x;
  const std::array<T, 2> both = {T(TURN) * i / N, __half2float(__float2half(T(A)))};
  x[i] = std::max(both[0], both.back());
}

__global__ void compare(const T* x, int* ok) {
  const U i = threadIdx.x;
  ok[i] = fabsf(x[i] - fmaxf(6.2831853f * i / N, 1)) < 1e-5f * N;
}
