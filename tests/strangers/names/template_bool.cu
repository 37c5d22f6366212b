//! kmux
//! kernel template_bool(inout y: f32[n: i32])
//!   example n = 100
//!   launch choose<true, false><<<ceildiv(n, 64), 64>>>(y, n)
// Arguments that are true and false.
// means: void choose<true, false>(float*, int)
template <bool kFirst, bool kSecond>
__global__ void choose(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = kFirst && !kSecond ? 1.0f : 2.0f;
}
