//! kmux
//! kernel histogram_of_warps(out parts: u32[60, 256], words: u32[524288])
//!   launch histogram_of_warps<<<60, 192>>>(parts, words, 524288)
// How often each byte is in n words: a histogram of each warp in shared memory, and all of a block added up at its end.
constexpr int kWarps = 6;
constexpr int kBins = 256;

__device__ inline void count(unsigned* own, unsigned byte) { atomicAdd(own + byte, 1u); }

__device__ inline void count_word(unsigned* own, unsigned word) {
  for (int shift = 0; shift < 32; shift += 8) count(own, word >> shift & 0xFFu);
}

__global__ void histogram_of_warps(unsigned* parts, const unsigned* words, int n) {
  __shared__ unsigned bins[kWarps * kBins];
  unsigned* const own = bins + threadIdx.x / 32 * kBins;
#pragma unroll
  for (int i = 0; i < kBins / 32; ++i) bins[threadIdx.x + i * kWarps * 32] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) count_word(own, words[i]);
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < kBins; bin += kWarps * 32) {
    unsigned sum = 0;
    for (int warp = 0; warp < kWarps; ++warp) sum += bins[bin + warp * kBins];
    parts[blockIdx.x * kBins + bin] = sum;
  }
}
