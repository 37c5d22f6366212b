//! kmux
//! kernel two_namespaces(inout y: f32[n: i32])
//!   example n = 100
//!   launch first::add<<<ceildiv(n, 64), 64>>>(y, n)
//!   launch second::add<<<ceildiv(n, 64), 64>>>(y, n)
// Kernels of one name in two namespaces, in one program.
// means: first::add(float*, int)
// means: second::add(float*, int)
namespace first {
__global__ void add(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5f;
}
}  // namespace first
namespace second {
__global__ void add(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * y[i];
}
}  // namespace second
