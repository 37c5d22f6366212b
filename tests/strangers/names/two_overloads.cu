//! kmux
//! kernel two_overloads(inout y: f32[n: i32])
//!   example n = 100
//!   launch "step(float*, int)"<<<ceildiv(n, 64), 64>>>(y, n)
//!   launch "step(float*, int, long long)"<<<ceildiv(n, 64), 64>>>(y, n, n: i64)
// Two overloads in one program.
// means: step(float*, int)
// means: step(float*, int, long long)
__global__ void step(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5f;
}
__global__ void step(float* y, int n, long long count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * y[i] + count - n;
}
