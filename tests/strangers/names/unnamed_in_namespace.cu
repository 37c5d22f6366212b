//! kmux
//! kernel unnamed_in_namespace(inout y: f32[n: i32])
//!   example n = 100
//!   launch app::hidden<<<ceildiv(n, 64), 64>>>(y, n)
// An unnamed namespace in one with a name.
// means: app::(anonymous namespace)::hidden(float*, int)
namespace app {
namespace {
__global__ void hidden(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
}  // namespace
}  // namespace app
