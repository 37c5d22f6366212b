// Tiles of a and b pass through shared memory, so that each element is read from global memory once a tile, not once
// a thread.
constexpr int kTile = 16;

__global__ void matmul_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int u = threadIdx.x, v = threadIdx.y;
  const int row = blockIdx.y * kTile + v, column = blockIdx.x * kTile + u;
  float sum = 0.0f;
  for (int first = 0; first < k; first += kTile) {
    left[v][u] = row < m && first + u < k ? a[row * k + first + u] : 0.0f;
    right[v][u] = first + v < k && column < n ? b[(first + v) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += left[v][i] * right[i][u];
    __syncthreads();  // before the next tiles replace these
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
