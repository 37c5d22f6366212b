// An inclusive scan of any length in three launches: each block scans its 512 elements and leaves their sum, one
// block scans the sums, and each block adds what comes before it.
constexpr int kThreads = 512;

__device__ int scan_of_warp(int value) {
  for (int distance = 1; distance < 32; distance *= 2) {
    const int before = __shfl_up_sync(0xffffffffu, value, distance);
    if (threadIdx.x % 32 >= distance) value += before;
  }
  return value;
}

__device__ int scan_of_block(int value) {
  __shared__ int of_warps[kThreads / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = scan_of_warp(value);
  if (lane == 31) of_warps[warp] = value;
  __syncthreads();
  if (warp == 0) {
    const int sums = scan_of_warp(lane < kThreads / 32 ? of_warps[lane] : 0);
    if (lane < kThreads / 32) of_warps[lane] = sums;
  }
  __syncthreads();
  const int result = value + (warp > 0 ? of_warps[warp - 1] : 0);
  __syncthreads();  // of_warps may be used again
  return result;
}

__global__ void scan_blocks(const int* x, int* y, int* sums, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const int result = scan_of_block(i < n ? x[i] : 0);
  if (i < n) y[i] = result;
  if (threadIdx.x == kThreads - 1) sums[blockIdx.x] = result;
}

__global__ void scan_sums(int* sums, int blocks) {
  __shared__ int carry;
  if (threadIdx.x == 0) carry = 0;
  __syncthreads();
  for (int first = 0; first < blocks; first += kThreads) {
    const int i = first + threadIdx.x;
    const int result = carry + scan_of_block(i < blocks ? sums[i] : 0);
    if (i < blocks) sums[i] = result;
    __syncthreads();
    if (threadIdx.x == kThreads - 1) carry = result;
    __syncthreads();
  }
}

__global__ void add_before(int* y, const int* sums, int n) {
  const int i = (blockIdx.x + 1) * kThreads + threadIdx.x;
  if (i < n) y[i] += sums[blockIdx.x];
}
