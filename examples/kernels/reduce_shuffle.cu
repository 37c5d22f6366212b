// The largest element of each row: warps exchange registers, and only one value a warp goes through shared memory.
#ifndef INFINITY  // NVRTC has none
#define INFINITY __int_as_float(0x7f800000)
#endif
__device__ float warp_max(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

__global__ void reduce_shuffle(const float* x, float* y, int columns) {
  __shared__ float of_warps[32];
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) largest = fmaxf(largest, row[i]);
  largest = warp_max(largest);
  const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  if (lane == 0) of_warps[warp] = largest;
  __syncthreads();
  if (warp > 0) return;
  largest = warp_max(lane < blockDim.x / warpSize ? of_warps[lane] : -INFINITY);
  if (lane == 0) y[blockIdx.x] = largest;
}
