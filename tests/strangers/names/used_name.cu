//! kmux
//! kernel used_name(inout y: f32[n: i32])
//!   example n = 100
//!   launch detail_fill<<<ceildiv(n, 64), 64>>>(y, n)
// A name that a using declaration brings.
// means: detail::detail_fill(float*, int)
namespace detail {
__global__ void detail_fill(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
}  // namespace detail
using detail::detail_fill;
