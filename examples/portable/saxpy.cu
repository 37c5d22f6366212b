extern "C" __global__ void saxpy(const float* x, const float* y, float* z, float a, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) z[i] = a * x[i] + y[i];
}
