// The gradient of `gather`: rows are added to the table at their numbers, several of which may be the same; a number
// outside the table has no row.
__global__ void scatter_add(float* table, const int* rows, const float* x, int entries, int columns) {
  const int row = rows[blockIdx.x];
  if (row < 0 || row >= entries) return;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    atomicAdd(&table[row * columns + i], x[blockIdx.x * columns + i]);
}
