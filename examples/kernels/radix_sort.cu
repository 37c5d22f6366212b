// Keys of 32 bits, four bits a pass, the lowest first; each pass keeps the order of equal digits. A pass is three
// launches: how often each digit occurs in each block, where each block's digits begin, and the move there.
constexpr int kThreads = 256, kDigits = 16;

__device__ int digit_of(unsigned key, int shift) { return key >> shift & (kDigits - 1); }

__global__ void count_digits(const unsigned* keys, int* counts, int n, int shift) {
  __shared__ int mine[kDigits];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (threadIdx.x < kDigits) mine[threadIdx.x] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&mine[digit_of(keys[i], shift)], 1);
  __syncthreads();
  // Digit by digit, so that a scan of all counts gives the places.
  if (threadIdx.x < kDigits) counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

// An exclusive scan by one block: each thread has a run of its own.
__global__ void place_digits(int* counts, int n) {
  __shared__ int sums[kThreads];
  const int share = (n + kThreads - 1) / kThreads;
  const int first = min(n, static_cast<int>(threadIdx.x) * share), end = min(n, first + share);
  int sum = 0;
  for (int i = first; i < end; ++i) sum += counts[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int distance = 1; distance < kThreads; distance *= 2) {
    const int before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }
  int place = sums[threadIdx.x] - sum;
  for (int i = first; i < end; ++i) {
    const int count = counts[i];
    counts[i] = place;
    place += count;
  }
}

__global__ void move_keys(const unsigned* from, unsigned* to, const int* places, int n, int shift) {
  __shared__ int of_warps[kThreads / 32][kDigits];
  const int i = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int digit = i < n ? digit_of(from[i], shift) : -1;
  int before_in_warp = 0;
  for (int d = 0; d < kDigits; ++d) {
    const unsigned same = __ballot_sync(0xffffffffu, digit == d);
    if (digit == d) before_in_warp = __popc(same & ((1u << lane) - 1));
    if (lane == 0) of_warps[warp][d] = __popc(same);
  }
  __syncthreads();
  if (digit < 0) return;
  int place = places[digit * gridDim.x + blockIdx.x] + before_in_warp;
  for (int w = 0; w < warp; ++w) place += of_warps[w][digit];
  to[place] = from[i];
}
