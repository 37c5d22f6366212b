//! kmux
//! kernel beside_namespace(inout y: f32[n: i32])
//!   example n = 100
//!   launch area<<<ceildiv(n, 64), 64>>>(y, n)
// The same two kernels: a name without a namespace means the outer one.
// means: area(float*, int)
__global__ void area(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
namespace shapes {
__global__ void area(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f;
}
}  // namespace shapes
