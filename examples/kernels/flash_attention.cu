// softmax(q k^T / sqrt(D)) v for one head after another, in one pass over the keys: a thread a query, keys and values
// in tiles of shared memory, the row's maximum and sum kept up to date. Each query sees the keys up to its own place.
#ifndef INFINITY  // NVRTC has none
#define INFINITY __int_as_float(0x7f800000)
#endif
constexpr int kHead = 32, kTile = 32;

__global__ void flash_attention(const float* q, const float* k, const float* v, float* o, int length) {
  __shared__ float keys[kTile][kHead], values[kTile][kHead];
  const long long head = static_cast<long long>(blockIdx.y) * length * kHead;
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float query[kHead], sum[kHead] = {};
#pragma unroll
  for (int d = 0; d < kHead; ++d) query[d] = row < length ? q[head + row * kHead + d] * rsqrtf(kHead) : 0.0f;
  float largest = -INFINITY, weight = 0.0f;
  const int end = min(length, static_cast<int>((blockIdx.x + 1) * blockDim.x));  // no query of this block sees more
  for (int first = 0; first < end; first += kTile) {
    for (int i = threadIdx.x; i < kTile * kHead; i += blockDim.x) {
      const bool there = first + i / kHead < length;
      keys[i / kHead][i % kHead] = there ? k[head + first * kHead + i] : 0.0f;
      values[i / kHead][i % kHead] = there ? v[head + first * kHead + i] : 0.0f;
    }
    __syncthreads();
    for (int j = 0; j < kTile && first + j <= row; ++j) {
      float score = 0.0f;
#pragma unroll
      for (int d = 0; d < kHead; ++d) score += query[d] * keys[j][d];
      const float now = fmaxf(largest, score);
      const float scale = expf(largest - now), share = expf(score - now);
      weight = weight * scale + share;
#pragma unroll
      for (int d = 0; d < kHead; ++d) sum[d] = sum[d] * scale + share * values[j][d];
      largest = now;
    }
    __syncthreads();
  }
  if (row >= length) return;
#pragma unroll
  for (int d = 0; d < kHead; ++d) o[head + row * kHead + d] = sum[d] / weight;
}
