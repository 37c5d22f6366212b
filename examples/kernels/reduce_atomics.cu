// Sum, smallest and largest of integers: a warp reduces by shuffles, its first lane adds to the total by atomics.
__global__ void start(long long* sum, int* smallest, int* largest) {
  *sum = 0;
  *smallest = 0x7fffffff;
  *largest = -0x7fffffff - 1;
}

__global__ void reduce_atomics(const int* x, long long* sum, int* smallest, int* largest, int n) {
  long long total = 0;
  int low = 0x7fffffff, high = -0x7fffffff - 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    total += x[i];
    low = min(low, x[i]);
    high = max(high, x[i]);
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    total += __shfl_down_sync(0xffffffffu, total, distance);
    low = min(low, __shfl_down_sync(0xffffffffu, low, distance));
    high = max(high, __shfl_down_sync(0xffffffffu, high, distance));
  }
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(total));
  atomicMin(smallest, low);
  atomicMax(largest, high);
}
