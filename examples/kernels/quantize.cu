// Each row to 8 bits with a scale of its own: its largest magnitude becomes 127.
__global__ void quantize(const float* x, signed char* y, float* scales, int columns) {
  __shared__ int largest_bits;  // floats that are not negative order as their bits do
  if (threadIdx.x == 0) largest_bits = 0;
  __syncthreads();
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float largest = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) largest = fmaxf(largest, fabsf(row[i]));
  atomicMax(&largest_bits, __float_as_int(largest));
  __syncthreads();
  const float scale = __int_as_float(largest_bits) / 127.0f;
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[static_cast<long long>(blockIdx.x) * columns + i] =
        static_cast<signed char>(scale > 0.0f ? max(-127, min(127, __float2int_rn(row[i] / scale))) : 0);
}
