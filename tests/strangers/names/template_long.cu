//! kmux
//! kernel template_long(inout y: f32[n: i32])
//!   example n = 100
//!   launch wide<4096, -1><<<ceildiv(n, 64), 64>>>(y, n)
// Numbers for parameters of 64 bits and of one byte.
// means: void wide<4096ul, (signed char)-1>(float*, int)
template <unsigned long kBytes, signed char kSign>
__global__ void wide(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = kBytes == 4096 && kSign < 0 ? 1.0f : 2.0f;
}
