//! kmux
//! kernel overload_const(x: f32[n: i32], inout y: f32[n])
//!   example n = 100
//!   launch "copy(const float *, float*, int)"<<<ceildiv(n, 64), 64>>>(x, y, n)
// Pointers to const, in another order than a symbol has them.
// means: copy(float const*, float*, int)
__global__ void copy(const double* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f;
}
__global__ void copy(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] == x[i] ? 1.0f : 2.0f;
}
