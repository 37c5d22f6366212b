// Any number of elements, filled up to a power of two with what sorts behind all others. Distances within 512
// elements are done in shared memory, all of a stage in one launch; greater ones by a launch each. The dispatch has
// the loops.
#ifndef INFINITY  // NVRTC has none
#define INFINITY __int_as_float(0x7f800000)
#endif
constexpr int kThreads = 256;

__global__ void fill_up(const float* x, float* work, int n, int padded) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < padded) work[i] = i < n ? x[i] : INFINITY;
}

__device__ void order(float& a, float& b, bool ascending) {
  if ((a > b) == ascending) {
    const float c = a;
    a = b;
    b = c;
  }
}

// Elements i and i + distance of runs of `run` elements, alternately up and down.
__global__ void exchange(float* work, int run, int distance, int padded) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= padded / 2) return;
  const int i = 2 * distance * (pair / distance) + pair % distance;
  order(work[i], work[i + distance], (i & run) == 0);
}

__global__ void exchange_near(float* work, int run, int padded) {
  __shared__ float part[2 * kThreads];
  const int first = blockIdx.x * 2 * kThreads;
  for (int i = threadIdx.x; i < 2 * kThreads; i += kThreads)
    if (first + i < padded) part[i] = work[first + i];
  __syncthreads();
  for (int distance = min(run / 2, kThreads); distance > 0; distance /= 2) {
    const int i = 2 * distance * (threadIdx.x / distance) + threadIdx.x % distance;
    if (first + i + distance < padded) order(part[i], part[i + distance], ((first + i) & run) == 0);
    __syncthreads();
  }
  for (int i = threadIdx.x; i < 2 * kThreads; i += kThreads)
    if (first + i < padded) work[first + i] = part[i];
}

__global__ void take(const float* work, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = work[i];
}
