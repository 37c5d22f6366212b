// The sum of all elements: each thread takes those a grid apart, then a tree, then one atomic addition a block.
__global__ void stride_sum(float* out, const float* in, int n) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  part[t] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, part[0]);
}
