//! kmux
//! kernel count_bytes(x: u32[4096], out y: u32[1024])
//!   launch count_bytes<<<16, 64>>>(x, y, 1024)
// 64 counters of a byte for each thread, in shared memory: sixteen of them go up in an iteration.
__device__ void count(unsigned char* own, unsigned word) {
  for (int shift = 2; shift < 32; shift += 8) own[(word >> shift & 63) * 64]++;
}

__global__ void count_bytes(const uint4* x, unsigned* y, int n) {
  __shared__ unsigned char counters[64 * 64];
  for (int i = 0; i < 16; ++i) reinterpret_cast<unsigned*>(counters)[threadIdx.x + i * 64] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const uint4 words = x[i];
    count(counters + threadIdx.x, words.x);
    count(counters + threadIdx.x, words.y);
    count(counters + threadIdx.x, words.z);
    count(counters + threadIdx.x, words.w);
  }
  __syncthreads();
  unsigned sum = 0;
  for (int i = 0; i < 64; ++i) sum += counters[threadIdx.x * 64 + ((i + threadIdx.x) & 63)];
  y[blockIdx.x * 64 + threadIdx.x] = sum;
}
