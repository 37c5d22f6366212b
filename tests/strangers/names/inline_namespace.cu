//! kmux
//! kernel inline_namespace(inout y: f32[n: i32])
//!   example n = 100
//!   launch latest<<<ceildiv(n, 64), 64>>>(y, n)
// A namespace that names need not have.
// means: v2::latest(float*, int)
inline namespace v2 {
__global__ void latest(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
}  // namespace v2
