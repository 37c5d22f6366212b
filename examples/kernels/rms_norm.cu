// Numbers of 16 bits in memory, of 32 bits in registers.
#include <cuda_fp16.h>

__global__ void rms_norm(const __half* x, const __half* scale, __half* y, int columns, float epsilon) {
  __shared__ float of_warps[32];
  const __half* row = x + static_cast<long long>(blockIdx.x) * columns;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float value = __half2float(row[i]);
    sum += value * value;
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int warp = 0; warp < blockDim.x / 32; ++warp) sum += of_warps[warp];
  const float inverse = rsqrtf(sum / columns + epsilon);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[static_cast<long long>(blockIdx.x) * columns + i] =
        __float2half(__half2float(row[i]) * inverse * __half2float(scale[i]));
}
