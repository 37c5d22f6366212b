// Five points, over a tile in shared memory: each element is read once from global memory, its neighbours from the
// tile.
constexpr int kWide = 32, kHigh = 8;

__global__ void stencil_2d(const float* x, float* y, int height, int width, float weight) {
  __shared__ float tile[kHigh + 2][kWide + 2];
  const int column = blockIdx.x * kWide + threadIdx.x, row = blockIdx.y * kHigh + threadIdx.y;
  const int u = threadIdx.x + 1, v = threadIdx.y + 1;
  // Outside the grid everything is zero.
  const auto at = [&](int r, int c) { return r >= 0 && r < height && c >= 0 && c < width ? x[r * width + c] : 0.0f; };
  tile[v][u] = at(row, column);
  if (threadIdx.x == 0) tile[v][0] = at(row, column - 1);
  if (threadIdx.x == kWide - 1) tile[v][kWide + 1] = at(row, column + 1);
  if (threadIdx.y == 0) tile[0][u] = at(row - 1, column);
  if (threadIdx.y == kHigh - 1) tile[kHigh + 1][u] = at(row + 1, column);
  __syncthreads();
  if (row >= height || column >= width) return;
  const float around = tile[v - 1][u] + tile[v + 1][u] + tile[v][u - 1] + tile[v][u + 1];
  y[row * width + column] = tile[v][u] + weight * (around - 4.0f * tile[v][u]);
}
