//! kmux
//! kernel plain(inout y: f32[n: i32])
//!   example n = 100
//!   launch plain<<<ceildiv(n, 64), 64>>>(y, n)
// A plain kernel of C++, whose symbol is mangled.
// means: plain(float*, int)
__global__ void plain(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
