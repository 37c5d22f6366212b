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

extern "C" __global__ void look_up_kernel(const int* __restrict__ index, const float* __restrict__ table, float* __restrict__ y, int n);
extern "C" __global__ void __launch_bounds__(256, 1) look_up_kernel(const int* __restrict__ index, const float* __restrict__ table, float* __restrict__ y, int n) {
  #pragma unroll
  for (int i = 0; i < 4; ++i) {
    if ((((((int)blockIdx.x) * 1024) + (i * 256)) + ((int)threadIdx.x)) < n) {
      float condval;
      if (((0 <= index[(((((int64_t)((int)blockIdx.x)) * (int64_t)1024) + (((int64_t)i) * (int64_t)256)) + ((int64_t)((int)threadIdx.x)))]) && (index[(((((int64_t)((int)blockIdx.x)) * (int64_t)1024) + (((int64_t)i) * (int64_t)256)) + ((int64_t)((int)threadIdx.x)))] < 1048576))) {
        condval = table[index[(((((int64_t)((int)blockIdx.x)) * (int64_t)1024) + (((int64_t)i) * (int64_t)256)) + ((int64_t)((int)threadIdx.x)))]];
      } else {
        condval = 0x0p+0f/*0.000000e+00*/;
      }
      y[(((((int64_t)((int)blockIdx.x)) * (int64_t)1024) + (((int64_t)i) * (int64_t)256)) + ((int64_t)((int)threadIdx.x)))] = condval;
    }
  }
}
