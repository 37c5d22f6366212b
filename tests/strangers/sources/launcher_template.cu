//! kmux
//! kernel reduce(out sum: i32[1], out ok: i32[1])
//!   launch clear<<<1, 1>>>(sum)
//!   launch reduce<Plus, 128><<<4, 128>>>(sum)
//!   launch compare<<<1, 1>>>(sum, ok)
#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include "helper_cuda.h"

struct Plus {
  __device__ int32_t operator()(int32_t a, int32_t b) const { return a + b; }
};
struct NeverUsed {
  std::map<int, int> table;
};

constexpr int power_of_two(int n) { return n <= 1 ? 1 : 2 * power_of_two((n + 1) / 2); }

__global__ void clear(int32_t* sum) { *sum = 0; }

template <typename Op, int kThreads>
__global__ void reduce(int32_t* sum) {
  __shared__ int32_t part[power_of_two(kThreads)];
  part[threadIdx.x] = static_cast<int32_t>(blockIdx.x * kThreads + threadIdx.x);
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] = Op()(part[threadIdx.x], part[threadIdx.x + step]);
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}

__global__ void compare(const int32_t* sum, int* ok) { *ok = *sum == 511 * 512 / 2; }

template <typename Op>
void launch(int32_t* sum, int blocks, cudaStream_t stream = 0) {
  if (blocks < 1) throw std::invalid_argument("blocks");
#ifdef LARGE_BLOCKS
  reduce<Op, 1024><<<std::min(blocks, 65535), 1024, 0, stream>>>(sum);
#else
  reduce<Op, 128><<<blocks, 128, 0, stream>>>(sum);
#endif
  checkCudaErrors(cudaGetLastError());
}
template void launch<Plus>(int32_t*, int, cudaStream_t);

extern "C" void reduce_from_c(int32_t* sum, int blocks) { launch<Plus>(sum, blocks); }
