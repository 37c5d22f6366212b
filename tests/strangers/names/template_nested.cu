//! kmux
//! kernel template_nested(inout y: f32[n: i32])
//!   example n = 100
//!   launch store<Pair<float, 2>><<<ceildiv(n, 64), 64>>>(y, n)
// An instantiation as the argument of another.
// means: void store<Pair<float, 2> >(float*, int)
template <class T, int kCount>
struct Pair {
  T values[kCount];
};
template <class T>
__global__ void store(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sizeof(T) == 8 ? 1.0f : 2.0f;
}
