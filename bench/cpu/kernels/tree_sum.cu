// The sum of each block's elements by a tree in shared memory.
__global__ void tree_sum(float* out, const float* in, int n) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
