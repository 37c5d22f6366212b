// Sums of consecutive runs of values, a thread a value: within a warp, equal keys add up by shuffles, and the first
// lane of each run adds to the result.
__global__ void segment_sum(const int* keys, const int* values, int* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const int key = i < n ? keys[i] : -1;
  int sum = i < n ? values[i] : 0;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_down_sync(0xffffffffu, sum, distance);
    const int other_key = __shfl_down_sync(0xffffffffu, key, distance);
    if (lane + distance < 32 && other_key == key) sum += other;
  }
  const int key_before = __shfl_up_sync(0xffffffffu, key, 1);
  if (key >= 0 && (lane == 0 || key_before != key)) atomicAdd(&sums[key], sum);
}
