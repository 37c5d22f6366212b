//! kmux
//! kernel template_type(inout y: f32[n: i32])
//!   example n = 100
//!   launch apply<Doubling><<<ceildiv(n, 64), 64>>>(y, n)
// A type of the program, under another name.
// means: void apply<ops::Twice>(float*, int)
// in ready code: apply<ops::Twice>
namespace ops {
struct Twice {
  static __device__ float of(float value) { return 2 * value; }
};
}  // namespace ops
using Doubling = ops::Twice;
template <class Operation>
__global__ void apply(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = Operation::of(0.5f);
}
