//! kmux
//! kernel product_in_registers(inout c: f32[256, 256], a: f32[256, 256], b: f32[256, 256])
//!   launch product_in_registers<<<[2, 2], 256>>>(c, a, b, 256)
// c = a b / 2 + c / 4, tiles of 128 x 128 by 256 threads. A thread keeps 8 x 8 sums and what they are made of in arrays, and counts on
// the compiler to unroll its loops: there is no "#pragma unroll".
constexpr int kTile = 128;
constexpr int kDepth = 8;
constexpr int kOwn = 8;
constexpr float kAlpha = 0.5f;
constexpr float kBeta = 0.25f;

__global__ void product_in_registers(float* c, const float* a, const float* b, int n) {
  __shared__ float as[kTile * kDepth];
  __shared__ float bs[kDepth * kTile];
  const int column = threadIdx.x % (kTile / kOwn), row = threadIdx.x / (kTile / kOwn);
  const int a_row = threadIdx.x / kDepth, a_column = threadIdx.x % kDepth;
  const int b_row = threadIdx.x / kTile, b_column = threadIdx.x % kTile;
  a += blockIdx.y * kTile * n;
  b += blockIdx.x * kTile;
  c += blockIdx.y * kTile * n + blockIdx.x * kTile;
  float sums[kOwn * kOwn] = {0.0f}, left[kOwn] = {0.0f}, right[kOwn] = {0.0f};
  for (int first = 0; first < n; first += kDepth) {
    for (int i = 0; i < kTile; i += 32) as[(a_row + i) * kDepth + a_column] = a[(a_row + i) * n + a_column];
    for (int i = 0; i < kDepth; i += 2) bs[(b_row + i) * kTile + b_column] = b[(b_row + i) * n + b_column];
    __syncthreads();
    a += kDepth;
    b += kDepth * n;
    for (int k = 0; k < kDepth; ++k) {
      for (int i = 0; i < kOwn; ++i) left[i] = as[(row * kOwn + i) * kDepth + k];
      for (int i = 0; i < kOwn; ++i) right[i] = bs[k * kTile + column * kOwn + i];
      for (int i = 0; i < kOwn; ++i) {
        for (int j = 0; j < kOwn; ++j) sums[i * kOwn + j] += left[i] * right[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kOwn; ++i) {
    for (int j = 0; j < kOwn; ++j) {
      float* const out = c + (row * kOwn + i) * n + column * kOwn + j;
      *out = kAlpha * sums[i * kOwn + j] + kBeta * *out;
    }
  }
}
