//! kmux
//! kernel extern_c(inout y: f32[n: i32])
//!   example n = 100
//!   launch c_kernel<<<ceildiv(n, 64), 64>>>(y, n)
// A kernel with the linkage of C.
// means: c_kernel
extern "C" __global__ void c_kernel(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
