// Weights of 8 bits, a scale and a zero point for each group of 64 in a row, to floats: four at a time.
constexpr int kGroup = 64;

__global__ void dequantize(const char4* x, const float* scales, const signed char* zeros, float4* y, int quads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  const int group = i * 4 / kGroup;
  const float scale = scales[group];
  const int zero = zeros[group];
  const char4 q = x[i];
  y[i] = make_float4((q.x - zero) * scale, (q.y - zero) * scale, (q.z - zero) * scale, (q.w - zero) * scale);
}
