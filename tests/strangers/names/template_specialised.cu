//! kmux
//! kernel template_specialised(inout y: f32[n: i32])
//!   example n = 100
//!   launch pick<2><<<ceildiv(n, 64), 64>>>(y, n)
// A specialization, not the template.
// means: void pick<2>(float*, int)
template <int kCase>
__global__ void pick(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f;
}
template <>
__global__ void pick<2>(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
