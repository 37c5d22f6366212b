//! kmux
//! kernel template_defaults(inout y: f32[n: i32])
//!   example n = 100
//!   launch scale<float><<<ceildiv(n, 64), 64>>>(y, n)
// Arguments that have defaults are left out.
// means: void scale<float, 4, true>(float*, int)
template <class T, int kValues = 4, bool kExact = true>
__global__ void scale(T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = kValues == 4 && kExact ? 1.0f : 2.0f;
}
