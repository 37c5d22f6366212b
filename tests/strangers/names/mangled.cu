//! kmux
//! kernel mangled(inout y: f32[n: i32])
//!   example n = 100
//!   launch _ZN2nn4normEPfi<<<ceildiv(n, 64), 64>>>(y, n)
// The symbol itself.
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
