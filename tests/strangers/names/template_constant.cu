//! kmux
//! kernel template_constant(inout y: f32[n: i32])
//!   example n = 100
//!   launch blocked<app::kBlock><<<ceildiv(n, 64), 64>>>(y, n)
// A constant as the argument.
// means: void blocked<128>(float*, int)
// in ready code: blocked<128>
namespace app {
constexpr int kBlock = 4 * 32;
}
template <int kBlock>
__global__ void blocked(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = kBlock == 128 ? 1.0f : 2.0f;
}
