//! kmux
//! kernel overload_template(inout y: f32[n: i32])
//!   example n = 100
//!   launch "cast<float>(float*, int)"<<<ceildiv(n, 64), 64>>>(y, n)
// Overloaded templates: arguments and parameters.
// means: void cast<float>(float*, int)
template <class T>
__global__ void cast(T** y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *y[i] = 2;
}
template <class T>
__global__ void cast(T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
