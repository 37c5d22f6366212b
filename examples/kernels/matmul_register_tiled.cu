// A block makes 64x64 elements of c and each of its 256 threads 4x4 of them, which stay in registers: of every value
// read from shared memory four products are made.
constexpr int kBlock = 64, kDepth = 16, kThread = 4;

__global__ void __launch_bounds__(256) matmul_register_tiled(const float* __restrict__ a, const float* __restrict__ b,
                                                             float* __restrict__ c, int m, int n, int k) {
  __shared__ float left[kDepth][kBlock + 4];  // transposed; the padding keeps its writes from one bank
  __shared__ float right[kDepth][kBlock];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int first_row = blockIdx.y * kBlock, first_column = blockIdx.x * kBlock;
  float sums[kThread][kThread] = {};
  for (int first = 0; first < k; first += kDepth) {
    for (int i = thread; i < kBlock * kDepth; i += 256) {
      const int row = first_row + i / kDepth, column = first + i % kDepth;
      left[i % kDepth][i / kDepth] = row < m && column < k ? a[row * k + column] : 0.0f;
    }
    for (int i = thread; i < kBlock * kDepth; i += 256) {
      const int row = first + i / kBlock, column = first_column + i % kBlock;
      right[i / kBlock][i % kBlock] = row < k && column < n ? b[row * n + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kDepth; ++i) {
      float u[kThread], v[kThread];
#pragma unroll
      for (int j = 0; j < kThread; ++j) u[j] = left[i][threadIdx.y * kThread + j];
#pragma unroll
      for (int j = 0; j < kThread; ++j) v[j] = right[i][threadIdx.x + j * 16];
#pragma unroll
      for (int y = 0; y < kThread; ++y)
#pragma unroll
        for (int x = 0; x < kThread; ++x) sums[y][x] = fmaf(u[y], v[x], sums[y][x]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int y = 0; y < kThread; ++y)
#pragma unroll
    for (int x = 0; x < kThread; ++x) {
      const int row = first_row + threadIdx.y * kThread + y, column = first_column + threadIdx.x + x * 16;
      if (row < m && column < n) c[row * n + column] = sums[y][x];
    }
}
