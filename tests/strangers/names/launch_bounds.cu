//! kmux
//! kernel launch_bounds(inout y: f32[n: i32])
//!   example n = 100
//!   launch bounded<64><<<ceildiv(n, 64), 64>>>(y, n)
// Attributes between the result and the name.
// means: void bounded<64>(float*, int)
template <int kThreads>
__global__ void __launch_bounds__(kThreads) bounded(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
