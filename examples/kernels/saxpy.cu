//! kmux
//! kernel saxpy(x: f32[n: i32] align 16, inout y: f32[n] align 16, a: f32)
//!   description "a vector times a number, added to another one in place"
//!   reference "y += a * x"
//!   example n = 1000000, a = 1.5
//!   flops n * 2
//!   bytes n * 12
//!   launch saxpy<<<min(ceildiv(n, 1024), 1024), 256>>>(x, y, a, n)
// y = a * x + y in place, four elements a thread by vector loads; what is left over goes one by one.
__global__ void __launch_bounds__(256) saxpy(const float* __restrict__ x, float* __restrict__ y, float a, int n) {
  const int stride = gridDim.x * blockDim.x;
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  const float4* x4 = reinterpret_cast<const float4*>(x);
  float4* y4 = reinterpret_cast<float4*>(y);
  for (int i = first; i < n / 4; i += stride) {
    const float4 u = x4[i];
    float4 v = y4[i];
    v.x += a * u.x;
    v.y += a * u.y;
    v.z += a * u.z;
    v.w += a * u.w;
    y4[i] = v;
  }
  for (int i = n / 4 * 4 + first; i < n; i += stride) y[i] += a * x[i];
}
