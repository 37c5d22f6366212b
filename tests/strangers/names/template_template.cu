//! kmux
//! kernel template_template(inout y: f32[n: i32])
//!   example n = 100
//!   launch hold<Box><<<ceildiv(n, 64), 64>>>(y, n)
// A template as the argument.
// means: void hold<Box>(float*, int)
template <class T>
struct Box {
  T value;
};
template <template <class> class Holder>
__global__ void hold(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sizeof(Holder<float>) == 4 ? 1.0f : 2.0f;
}
