__global__ void matmul_tiled(float* c, const float* a, const float* b, int n) {
  constexpr int kTile = 16;
  __shared__ float as[kTile][kTile];
  __shared__ float bs[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0.0f;
  for (int t = 0; t < n; t += kTile) {
    as[ty][tx] = a[row * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
