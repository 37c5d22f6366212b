//! kmux
//! kernel global_scope(inout y: f32[n: i32])
//!   example n = 100
//!   launch ::outer<<<ceildiv(n, 64), 64>>>(y, n)
// A name that begins at the outermost namespace.
// means: outer(float*, int)
namespace app {
__global__ void outer(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f;
}
}  // namespace app
__global__ void outer(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
