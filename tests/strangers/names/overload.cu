//! kmux
//! kernel overload(inout y: f32[n: i32])
//!   example n = 100
//!   launch "twice(float*, int)"<<<ceildiv(n, 64), 64>>>(y, n)
// One of several kernels of a name, by the types of its parameters.
// means: twice(float*, int)
__global__ void twice(double* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2;
}
__global__ void twice(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
__global__ void twice(float* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 3.0f;
}
