//! kmux
//! kernel template_pack(inout y: f32[n: i32])
//!   example n = 100
//!   launch sum<1, 2, 4><<<ceildiv(n, 64), 64>>>(y, n)
// As many arguments as are written.
// means: void sum<1, 2, 4>(float*, int)
template <int... kValues>
__global__ void sum(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (kValues + ... + 0) == 7 && sizeof...(kValues) == 3 ? 1.0f : 2.0f;
}
