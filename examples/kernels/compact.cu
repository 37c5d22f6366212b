// The elements above a threshold, in their order: counts by block, places by a scan of the counts, then each kept
// element goes to the place that ballots give it within its warp.
constexpr int kThreads = 256;

// How many threads before this one keep theirs, and how many of the block do.
__device__ int kept_before(bool keep, int* total) {
  __shared__ int of_warps[kThreads / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned votes = __ballot_sync(0xffffffffu, keep);
  if (lane == 0) of_warps[warp] = __popc(votes);
  __syncthreads();
  int before = __popc(votes & ((1u << lane) - 1));
  *total = 0;
  for (int i = 0; i < kThreads / 32; ++i) {
    if (i < warp) before += of_warps[i];
    *total += of_warps[i];
  }
  return before;
}

__global__ void count_kept(const float* x, int* counts, int n, float threshold) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  int total;
  kept_before(i < n && x[i] > threshold, &total);
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

// One thread is enough for as few numbers as there are blocks.
__global__ void place_blocks(int* counts, int* kept, int blocks) {
  int sum = 0;
  for (int i = 0; i < blocks; ++i) {
    const int count = counts[i];
    counts[i] = sum;
    sum += count;
  }
  *kept = sum;
}

__global__ void move_kept(const float* x, const int* places, float* y, int n, float threshold) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const bool keep = i < n && x[i] > threshold;
  int total;
  const int before = kept_before(keep, &total);
  if (keep) y[places[blockIdx.x] + before] = x[i];
}
