// A sparse matrix by a vector, eight threads a row: rows of different lengths leave their loops at different times.
constexpr int kThreadsOfRow = 8;

__global__ void spmv_csr(const int* rows, const int* columns, const float* values, const float* x, float* y,
                         int row_count) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / kThreadsOfRow;
  const int part = threadIdx.x % kThreadsOfRow;
  float sum = 0.0f;
  if (row < row_count)
    for (int i = rows[row] + part; i < rows[row + 1]; i += kThreadsOfRow) sum += values[i] * __ldg(&x[columns[i]]);
  for (int distance = kThreadsOfRow / 2; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance, kThreadsOfRow);
  if (row < row_count && part == 0) y[row] = sum;
}
