//! kmux
//! kernel overload_in_namespace(inout y: f32[n: i32])
//!   example n = 100
//!   launch "nn::norm(float*, int)"<<<ceildiv(n, 64), 64>>>(y, n)
// Overloads in a namespace, of which the symbol in a table has no parameters.
// means: nn::norm(float*, int)
namespace nn {
__global__ void norm(double* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2;
}
__global__ void norm(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
}  // namespace nn
