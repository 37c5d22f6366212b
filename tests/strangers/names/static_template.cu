//! kmux
//! kernel static_template(inout y: f32[n: i32])
//!   example n = 100
//!   launch only_here<3><<<ceildiv(n, 64), 64>>>(y, n)
// A static template, instantiated by its name alone.
// means: void only_here<3>(float*, int)
template <int kValue>
static __global__ void only_here(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = kValue - 2.0f;
}
