// Each block counts in shared memory, where atomics are cheap, and adds what it has to the result once.
__global__ void histogram(const unsigned char* x, unsigned* counts, int n) {
  __shared__ unsigned mine[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[x[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (mine[i] > 0) atomicAdd(&counts[i], mine[i]);
}
