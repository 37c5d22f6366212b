//! kmux
//! kernel template_in_namespace(inout y: f32[n: i32])
//!   example n = 100
//!   launch nn::gelu<nn::Fast><<<ceildiv(n, 64), 64>>>(y, n)
// A template in a namespace, with what that has as its arguments.
// means: void nn::gelu<nn::Fast, 256u>(float*, int)
namespace nn {
struct Exact {};
struct Fast {
  static constexpr float kValue = 1;
};
template <class Way, unsigned kThreads = 256>
__global__ void gelu(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = Way::kValue;
}
}  // namespace nn
