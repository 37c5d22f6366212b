// Rows of a table by their numbers, as an embedding layer reads them; a number outside the table gives zeros.
__global__ void gather(const float* table, const long long* rows, float* y, int entries, int columns) {
  const long long row = rows[blockIdx.x];
  const bool there = row >= 0 && row < entries;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[static_cast<long long>(blockIdx.x) * columns + i] = there ? table[row * columns + i] : 0.0f;
}
