//! kmux
//! kernel template_enumerator(inout y: f32[n: i32])
//!   example n = 100
//!   launch blend<Mode::kOver><<<ceildiv(n, 64), 64>>>(y, n)
// An enumerator as the argument.
// means: void blend<(Mode)1>(float*, int)
// in ready code: blend<1>
enum class Mode { kAdd, kOver };
template <Mode kMode>
__global__ void blend(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = kMode == Mode::kOver ? 1.0f : 2.0f;
}
