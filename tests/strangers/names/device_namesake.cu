//! kmux
//! kernel device_namesake(inout y: f32[n: i32])
//!   example n = 100
//!   launch scale<<<ceildiv(n, 64), 64>>>(y, n)
// A device function that has the kernel's name, too.
// means: scale(float*, int)
__device__ float scale(float value) { return 2 * value; }
__global__ void scale(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = scale(0.5f);
}
