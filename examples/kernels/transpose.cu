// Rows are read along x and written along x. The tile has a column too many, so that its columns lie in different
// banks.
constexpr int kTile = 32, kRows = 8;

__global__ void transpose(const float* x, float* y, int height, int width) {
  __shared__ float tile[kTile][kTile + 1];
  int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRows)
    if (row + i < height && column < width) tile[threadIdx.y + i][threadIdx.x] = x[(row + i) * width + column];
  __syncthreads();
  column = blockIdx.y * kTile + threadIdx.x;
  row = blockIdx.x * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRows)
    if (row + i < width && column < height) y[(row + i) * height + column] = tile[threadIdx.x][threadIdx.y + i];
}
