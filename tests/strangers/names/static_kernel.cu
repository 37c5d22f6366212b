//! kmux
//! kernel static_kernel(inout y: f32[n: i32])
//!   example n = 100
//!   launch only_here<<<ceildiv(n, 64), 64>>>(y, n)
// A static kernel, which no other function uses.
// means: only_here(float*, int)
static __global__ void only_here(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
