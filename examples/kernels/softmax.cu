// A warp a row. Maximum and sum in one pass: the sum so far is scaled whenever the maximum grows.
#ifndef INFINITY  // NVRTC has none
#define INFINITY __int_as_float(0x7f800000)
#endif
__global__ void softmax(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* from = x + static_cast<long long>(row) * columns;
  float* to = y + static_cast<long long>(row) * columns;
  float largest = -INFINITY, sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += 32) {
    const float now = fmaxf(largest, from[i]);
    sum = sum * expf(largest - now) + expf(from[i] - now);
    largest = now;
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    const float other_largest = __shfl_xor_sync(0xffffffffu, largest, distance);
    const float other_sum = __shfl_xor_sync(0xffffffffu, sum, distance);
    const float now = fmaxf(largest, other_largest);
    // A lane that had no element has -inf and 0, and -inf - -inf is no number.
    sum = (sum > 0.0f ? sum * expf(largest - now) : 0.0f) +
          (other_sum > 0.0f ? other_sum * expf(other_largest - now) : 0.0f);
    largest = now;
  }
  for (int i = threadIdx.x; i < columns; i += 32) to[i] = expf(from[i] - largest) / sum;
}
