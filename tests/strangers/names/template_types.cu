//! kmux
//! kernel template_types(inout y: f32[n: i32])
//!   example n = 100
//!   launch convert<const unsigned char*, unsigned long long><<<ceildiv(n, 64), 64>>>(y, n)
// Types of several words, with stars and qualifiers.
// means: void convert<unsigned char const*, unsigned long long>(float*, int)
template <class From, class To>
__global__ void convert(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sizeof(From) == 8 && sizeof(To) == 8 ? 1.0f : 2.0f;
}
