//! kmux
//! kernel extern_c_block(inout y: f32[n: i32])
//!   example n = 100
//!   launch math::c_one<<<ceildiv(n, 64), 64>>>(y, n)
// The linkage of C for several functions, in a namespace.
// means: c_one
// in ready code: c_one
namespace math {
extern "C" {
__global__ void c_one(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
__global__ void c_two(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f;
}
}
}  // namespace math
