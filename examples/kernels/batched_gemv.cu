// y[b] = a[b] x[b]: a warp a row, four rows a block, the matrices of the batch along the grid's z.
__global__ void batched_gemv(const float* a, const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  const int matrix = blockIdx.z;
  if (row >= rows) return;  // the whole warp
  const float* line = a + (static_cast<long long>(matrix) * rows + row) * columns;
  const float* vector = x + static_cast<long long>(matrix) * columns;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += 32) sum += line[i] * vector[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x == 0) y[matrix * rows + row] = sum;
}
