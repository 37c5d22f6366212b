//! kmux
//! kernel nested_namespaces(inout y: f32[n: i32])
//!   example n = 100
//!   launch app::detail::v2::fill<<<ceildiv(n, 64), 64>>>(y, n)
// Namespaces in a namespace.
// means: app::detail::v2::fill(float*, int)
namespace app::detail {
namespace v1 {
__global__ void fill(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f;
}
}  // namespace v1
namespace v2 {
__global__ void fill(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
}  // namespace v2
}  // namespace app::detail
