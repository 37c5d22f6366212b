//! kmux
//! kernel comment_at_end(inout y: f32[n: i32])
//!   example n = 100
//!   launch last<1><<<ceildiv(n, 64), 64>>>(y, n)
// A source that ends with a comment, and without the end of its line.
// means: void last<1>(float*, int)
template <int kValue>
__global__ void last(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f * kValue;
}
// that is all