//! kmux
//! kernel two_spellings(inout y: f32[n: i32])
//!   example n = 100
//!   launch part<float><<<ceildiv(n, 64), 64>>>(y, n)
//!   launch part<float, 4><<<ceildiv(n, 64), 64>>>(y, n)
// One function under two names: with its default, and with that written.
// means: void part<float, 4>(float*, int)
// means: void part<float, 4>(float*, int)
template <class T, int kValues = 4>
__global__ void part(T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = kValues / 4.0f;
}
