//! kmux
//! kernel histogram_of_block(inout counts: i32[256], x: f32[2097152])
//!   launch histogram_of_block<<<64, 256>>>(counts, x, 2097152)
// How many of n numbers from 0 to 1 are in each of 256 parts: a histogram of each block in shared memory.
__global__ void histogram_of_block(int* counts, const float* x, int n) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&bins[max(0, min((int)(x[i] * 256.0f), 255))], 1);
  }
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}
