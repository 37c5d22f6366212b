// A sum as a tree in shared memory: half of the threads add the other half's values, then a quarter. Launched twice:
// over the elements, then by one block over the sums of the blocks.
__global__ void reduce_tree(const float* x, float* sums, int n) {
  extern __shared__ float partial[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = i; j < n; j += gridDim.x * blockDim.x) sum += x[j];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}
