//! kmux
//! kernel softmax_of_rows(out to: f32[64, 4096], from: f32[64, 4096])
//!   launch softmax_of_rows<<<64, 512, 128>>>(to, from, 4096)
// Softmax of each row, a block for each. A thread takes eight elements at a time into an array, those behind the end again and again
// instead of a branch. Warps reduce by shuffles, blocks by shared memory; a thread that has nothing to do returns before the others meet.
constexpr int kAtOnce = 8;

struct Greatest {
  static constexpr float none = -INFINITY;
  __device__ static float of(float a, float b) { return fmaxf(a, b); }
};
struct Sum {
  static constexpr float none = 0.0f;
  __device__ static float of(float a, float b) { return a + b; }
};

// Of `x` of all threads of the block, by `parts`, which has a place for each warp.
template <class Operation>
__device__ float reduced(float x, float* parts) {
  for (int away = 16; away > 0; away /= 2) x = Operation::of(x, __shfl_down_sync(0xFFFFFFFF, x, away));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = parts[0];
    for (int warp = 1; warp < blockDim.x / 32; ++warp) all = Operation::of(all, parts[warp]);
    parts[0] = all;
  }
  __syncthreads();
  return parts[0];
}

__device__ void read(float (&values)[kAtOnce], const float* row, int first, int columns) {
#pragma unroll
  for (int k = 0; k < kAtOnce; ++k) values[k] = __ldcs(&row[min(columns - 1, first + k * blockDim.x)]);
}

__global__ void softmax_of_rows(float* to, const float* from, int columns) {
  extern __shared__ float shared[];
  float* const greatest = shared;
  float* const sums = shared + blockDim.x / 32;
  const int thread = threadIdx.x;
  const int step = blockDim.x * kAtOnce;
  if (thread >= columns) {
    greatest[thread / 32] = Greatest::none;
    sums[thread / 32] = Sum::none;
    return;
  }
  from += blockIdx.x * columns;
  to += blockIdx.x * columns;
  float values[kAtOnce];

  float most = Greatest::none;
  for (int i = thread; i < columns; i += step) {
    read(values, from, i, columns);
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) most = fmaxf(most, values[k]);
  }
  const float offset = reduced<Greatest>(most, greatest);

  float own = 0.0f;
  for (int i = thread; i < columns; i += step) {
    read(values, from, i, columns);
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (i + k * blockDim.x >= columns) continue;
      const float power = expf(values[k] - offset);
      to[min(columns - 1, i + k * blockDim.x)] = power;
      own += power;
    }
  }
  const float total = reduced<Sum>(own, sums);

  for (int i = thread; i < columns; i += step) {
    read(values, to, i, columns);
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (i + k * blockDim.x < columns) to[i + k * blockDim.x] = values[k] / total;
    }
  }
}
