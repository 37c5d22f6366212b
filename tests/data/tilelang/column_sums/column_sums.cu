#if defined(_MSC_VER) && !defined(__clang__) && _MSC_VER < 1940
#define _tl_orig_alignas alignas
#define alignas(N) _tl_orig_alignas((N) <= 64 ? (N) : 64)
#include <cuda.h>
#undef alignas
#define alignas _tl_orig_alignas
#endif
#include <tl_templates/cuda/atomic.h>
#include <tl_templates/cuda/reduce.h>
#include <tl_templates/cuda/scan.h>
#include <tl_templates/cuda/ldsm.h>
#include <tl_templates/cuda/threadblock_swizzle.h>
#include <tl_templates/cuda/debug.h>
#ifdef ENABLE_BF16
#include <tl_templates/cuda/cuda_bf16_fallbacks.cuh>
#endif

extern "C" __global__ void column_sums_kernel(float* __restrict__ total, const float* __restrict__ x, int m);
extern "C" __global__ void __launch_bounds__(256, 1) column_sums_kernel(float* __restrict__ total, const float* __restrict__ x, int m) {
  float part[1];
  part[0] = 0x0p+0f/*0.000000e+00*/;
  for (int i = 0; i < 32; ++i) {
    if (((((int)blockIdx.x) * 32) + i) < m) {
      part[0] = (part[0] + x[(((((int64_t)((int)blockIdx.x)) * (int64_t)8192) + (((int64_t)i) * (int64_t)256)) + ((int64_t)((int)threadIdx.x)))]);
    }
  }
  AtomicAdd((&(total[((int)threadIdx.x)])), part[0]);
}
