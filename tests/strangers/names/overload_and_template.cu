//! kmux
//! kernel overload_and_template(inout y: f32[n: i32])
//!   example n = 100
//!   launch "fill(float*, int)"<<<ceildiv(n, 64), 64>>>(y, n)
// A function beside a template of its name.
// means: fill(float*, int)
template <class T>
__global__ void fill(T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2;
}
__global__ void fill(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
