// -log softmax(x)[label] of each row, a block a row: two reductions over the block's threads. A label outside the row
// (-100 by custom) counts nothing.
#ifndef INFINITY  // NVRTC has none
#define INFINITY __int_as_float(0x7f800000)
#endif
template <class Join>
__device__ float over_block(float value, float* shared, Join join) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] = join(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  const float result = shared[0];
  __syncthreads();  // before somebody uses the memory again
  return result;
}

__global__ void cross_entropy(const float* x, const int* labels, float* losses, int columns) {
  __shared__ float shared[128];
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) largest = fmaxf(largest, row[i]);
  largest = over_block(largest, shared, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - largest);
  sum = over_block(sum, shared, [](float a, float b) { return a + b; });
  if (threadIdx.x > 0) return;
  const int label = labels[blockIdx.x];
  losses[blockIdx.x] = label >= 0 && label < columns ? largest + logf(sum) - row[label] : 0.0f;
}
