//! kmux
//! kernel template_unnamed(inout y: f32[n: i32])
//!   example n = 100
//!   launch inner<7><<<ceildiv(n, 64), 64>>>(y, n)
// A template in an unnamed namespace.
// means: void (anonymous namespace)::inner<7>(float*, int)
namespace {
template <int kValue>
__global__ void inner(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = kValue - 6.0f;
}
}  // namespace
