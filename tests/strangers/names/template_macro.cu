//! kmux
//! kernel template_macro(inout y: f32[n: i32])
//!   example n = 100
//!   launch render<CHANNELS><<<ceildiv(n, 64), 64>>>(y, n)
// A macro as the argument, which only the preprocessor expands.
// means: void render<3u>(float*, int)
// in ready code: render<3>
#define CHANNELS (1 + 2)
template <unsigned int kChannels>
__global__ void render(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = kChannels == 3 ? 1.0f : 2.0f;
}
