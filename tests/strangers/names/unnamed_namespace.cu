//! kmux
//! kernel unnamed_namespace(inout y: f32[n: i32])
//!   example n = 100
//!   launch hidden<<<ceildiv(n, 64), 64>>>(y, n)
// A kernel of this file alone.
// means: (anonymous namespace)::hidden(float*, int)
namespace {
__global__ void hidden(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
}  // namespace
