//! kmux
//! program races(inout wrong: i32[1])
//!   workspace sums: 256 bytes
//!   launch zero<<<1, 64>>>(sums)
//!   launch largest<512><<<1, 512>>>(sums, 0)
//!   launch largest<1024><<<1, 1024>>>(sums, 1)
//!   launch flagged<<<1, 512>>>(sums)
//!   launch compare<<<1, 1>>>(sums, wrong)
// Shared memory that all threads read behind a barrier and overwrite, after some work, with no barrier between: a race by the rules,
// and one that GPUs win, as each warp has read long before another comes round.
// check: race
__global__ void zero(int* sums) { sums[threadIdx.x] = 0; }
// Some work that begins with what was read.
__device__ int mixed(int seed) {
  unsigned value = seed;
  for (int i = 0; i < 64; ++i) value = (value ^ (value >> 7)) * 1664525u + 1013904223u;
  return value % 1009;
}
// A tree leaves the largest in place 0; the next round begins to write there.
template <int kThreads>
__global__ void largest(int* sums, int at) {
  __shared__ int best[kThreads];
  int last = 7;
  for (int round = 0; round < 20; ++round) {
    best[threadIdx.x] = mixed(last + int(threadIdx.x) * 64);
    for (int half = kThreads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half && best[threadIdx.x + half] > best[threadIdx.x]) best[threadIdx.x] = best[threadIdx.x + half];
    }
    __syncthreads();
    last = best[0] + round;
  }
  atomicAdd(&sums[at], last);
}
// One thread says whether there is another round, and takes it back.
__global__ void flagged(int* sums) {
  __shared__ int goes_on;
  int rounds = 0, is_next = 0;
  do {
    const int work = mixed(is_next);
    if (threadIdx.x == 0) goes_on = work < 0;
    __syncthreads();
    ++rounds;
    if (threadIdx.x == 77 && rounds < 9) goes_on = 1;
    __syncthreads();
    is_next = goes_on;
  } while (is_next);
  atomicAdd(&sums[3], rounds);
}
__global__ void compare(const int* sums, int* wrong) {
  int count = 0;
  for (int size = 0; size < 2; ++size) {
    const int threads = size == 0 ? 512 : 1024;
    int last = 7;
    for (int round = 0; round < 20; ++round) {
      int best = 0;
      for (int i = 0; i < threads; ++i) best = max(best, mixed(last + i * 64));
      last = best + round;
    }
    count += sums[size] != last * threads;
  }
  count += sums[3] != 9 * 512;
  wrong[0] = count;
}
