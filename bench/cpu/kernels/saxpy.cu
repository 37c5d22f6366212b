__global__ void saxpy(float* y, const float* x, const float* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.5f * x[i] + z[i];
}
