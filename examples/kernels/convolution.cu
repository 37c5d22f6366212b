// A layer of a network: batch x channels x height x width by filters x channels x 3 x 3, zeros around. The filter of
// a block is in shared memory.
constexpr int kSide = 3;

__global__ void convolution(const float* x, const float* filters, float* y, int channels, int height, int width) {
  extern __shared__ float filter[];
  const int image = blockIdx.z, out = blockIdx.y;
  const int thread = threadIdx.x;
  for (int i = thread; i < channels * kSide * kSide; i += blockDim.x)
    filter[i] = filters[out * channels * kSide * kSide + i];
  __syncthreads();
  const int at = blockIdx.x * blockDim.x + thread;
  if (at >= height * width) return;
  const int row = at / width, column = at % width;
  float sum = 0.0f;
  for (int channel = 0; channel < channels; ++channel) {
    const float* plane = x + static_cast<long long>(image * channels + channel) * height * width;
    for (int v = 0; v < kSide; ++v) {
      const int r = row + v - 1;
      if (r < 0 || r >= height) continue;
      for (int u = 0; u < kSide; ++u) {
        const int c = column + u - 1;
        if (c >= 0 && c < width) sum += filter[(channel * kSide + v) * kSide + u] * plane[r * width + c];
      }
    }
  }
  y[static_cast<long long>(image * gridDim.y + out) * height * width + at] = sum;
}
