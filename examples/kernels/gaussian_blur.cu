// A separable filter: along the rows into the workspace, then along the columns. Its weights are in constant memory,
// and beyond the border lies the border's element.
constexpr int kRadius = 2;
__constant__ float weights[2 * kRadius + 1] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

template <bool along_rows>
__global__ void blur(const float* x, float* y, int height, int width) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  float sum = 0.0f;
#pragma unroll
  for (int d = -kRadius; d <= kRadius; ++d) {
    const int r = along_rows ? row : min(max(row + d, 0), height - 1);
    const int c = along_rows ? min(max(column + d, 0), width - 1) : column;
    sum += weights[d + kRadius] * x[r * width + c];
  }
  y[row * width + column] = sum;
}
