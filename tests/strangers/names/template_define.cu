//! kmux
//! kernel template_define(inout y: f32[n: i32])
//!   example n = 100
//!   defines "TILE=16"
//!   launch tile<TILE><<<ceildiv(n, 64), 64>>>(y, n)
// A macro that the program defines as the argument.
// means: void tile<16>(float*, int)
// in ready code: tile<16>
template <int kTile>
__global__ void tile(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = kTile == 16 ? 1.0f : 2.0f;
}
