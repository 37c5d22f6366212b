//! kmux
//! kernel template_unsigned(inout y: f32[n: i32])
//!   example n = 100
//!   launch reduce_pass<256><<<ceildiv(n, 64), 64>>>(y, n)
// A number without a suffix for a parameter that is unsigned.
// means: void reduce_pass<256u>(float*, int)
template <unsigned int kThreads>
__global__ void reduce_pass(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = kThreads == 256 ? 1.0f : 2.0f;
}
