#if defined(_MSC_VER) && !defined(__clang__) && _MSC_VER < 1940
#define _tl_orig_alignas alignas
#define alignas(N) _tl_orig_alignas((N) <= 64 ? (N) : 64)
#include <cuda.h>
#undef alignas
#define alignas _tl_orig_alignas
#endif
#include <tl_templates/cuda/reduce.h>
#include <tl_templates/cuda/scan.h>
#include <tl_templates/cuda/ldsm.h>
#include <tl_templates/cuda/threadblock_swizzle.h>
#include <tl_templates/cuda/debug.h>
#ifdef ENABLE_BF16
#include <tl_templates/cuda/cuda_bf16_fallbacks.cuh>
#endif

extern "C" __global__ void affine_tiles_kernel(const float* __restrict__ x, float* __restrict__ y, int n, int offset, float slope);
extern "C" __global__ void __launch_bounds__(256, 1) affine_tiles_kernel(const float* __restrict__ x, float* __restrict__ y, int n, int offset, float slope) {
  #pragma unroll
  for (int i = 0; i < 4; ++i) {
    if ((((((int)blockIdx.x) * 1024) + (i * 256)) + ((int)threadIdx.x)) < n) {
      y[(((((int64_t)((int)blockIdx.x)) * (int64_t)1024) + (((int64_t)i) * (int64_t)256)) + ((int64_t)((int)threadIdx.x)))] = ((slope * x[(((((int64_t)((int)blockIdx.x)) * (int64_t)1024) + (((int64_t)i) * (int64_t)256)) + ((int64_t)((int)threadIdx.x)))]) + ((float)offset));
    }
  }
}
