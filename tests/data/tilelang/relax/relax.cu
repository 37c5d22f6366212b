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

extern "C" __global__ void relax_kernel(const float* __restrict__ x, float* __restrict__ y, int n);
extern "C" __global__ void relax_kernel_1(float* __restrict__ x, const float* __restrict__ y, int n);
extern "C" __global__ void relax_kernel_2(float* __restrict__ x, int n);
extern "C" __global__ void __launch_bounds__(128, 1) relax_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int rmod = (((((((int)blockIdx.x) * 128) + ((int)threadIdx.x)) + n) - 1) % n);
  float condval;
  if ((((((0 <= n) && (0 <= rmod)) || ((n < 0) && (rmod <= 0))) ? rmod : (rmod + n)) < n)) {
    int64_t rmod_1 = (((((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)((int)threadIdx.x))) + ((int64_t)n)) - (int64_t)1) % ((int64_t)n));
    int64_t rmod_2 = (((((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)((int)threadIdx.x))) + ((int64_t)n)) - (int64_t)1) % ((int64_t)n));
    condval = x[(((((int64_t)0 <= ((int64_t)n)) && ((int64_t)0 <= rmod_2)) || ((((int64_t)n) < (int64_t)0) && (rmod_2 <= (int64_t)0))) ? rmod_2 : (rmod_2 + ((int64_t)n)))];
  } else {
    condval = 0x0p+0f/*0.000000e+00*/;
  }
  int rmod_3 = ((((((int)blockIdx.x) * 128) + ((int)threadIdx.x)) + 1) % n);
  float condval_1;
  if ((((((0 <= n) && (0 <= rmod_3)) || ((n < 0) && (rmod_3 <= 0))) ? rmod_3 : (rmod_3 + n)) < n)) {
    int64_t rmod_4 = ((((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)((int)threadIdx.x))) + (int64_t)1) % ((int64_t)n));
    int64_t rmod_5 = ((((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)((int)threadIdx.x))) + (int64_t)1) % ((int64_t)n));
    condval_1 = x[(((((int64_t)0 <= ((int64_t)n)) && ((int64_t)0 <= rmod_5)) || ((((int64_t)n) < (int64_t)0) && (rmod_5 <= (int64_t)0))) ? rmod_5 : (rmod_5 + ((int64_t)n)))];
  } else {
    condval_1 = 0x0p+0f/*0.000000e+00*/;
  }
  y[((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)((int)threadIdx.x)))] = ((x[((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)((int)threadIdx.x)))] / 0x1p+1f/*2.000000e+00*/) + ((condval + condval_1) / 0x1p+2f/*4.000000e+00*/));
}

extern "C" __global__ void __launch_bounds__(128, 1) relax_kernel_1(float* __restrict__ x, const float* __restrict__ y, int n) {
  int rmod = (((((((int)blockIdx.x) * 128) + ((int)threadIdx.x)) + n) - 1) % n);
  float condval;
  if ((((((0 <= n) && (0 <= rmod)) || ((n < 0) && (rmod <= 0))) ? rmod : (rmod + n)) < n)) {
    int64_t rmod_1 = (((((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)((int)threadIdx.x))) + ((int64_t)n)) - (int64_t)1) % ((int64_t)n));
    int64_t rmod_2 = (((((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)((int)threadIdx.x))) + ((int64_t)n)) - (int64_t)1) % ((int64_t)n));
    condval = y[(((((int64_t)0 <= ((int64_t)n)) && ((int64_t)0 <= rmod_2)) || ((((int64_t)n) < (int64_t)0) && (rmod_2 <= (int64_t)0))) ? rmod_2 : (rmod_2 + ((int64_t)n)))];
  } else {
    condval = 0x0p+0f/*0.000000e+00*/;
  }
  int rmod_3 = ((((((int)blockIdx.x) * 128) + ((int)threadIdx.x)) + 1) % n);
  float condval_1;
  if ((((((0 <= n) && (0 <= rmod_3)) || ((n < 0) && (rmod_3 <= 0))) ? rmod_3 : (rmod_3 + n)) < n)) {
    int64_t rmod_4 = ((((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)((int)threadIdx.x))) + (int64_t)1) % ((int64_t)n));
    int64_t rmod_5 = ((((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)((int)threadIdx.x))) + (int64_t)1) % ((int64_t)n));
    condval_1 = y[(((((int64_t)0 <= ((int64_t)n)) && ((int64_t)0 <= rmod_5)) || ((((int64_t)n) < (int64_t)0) && (rmod_5 <= (int64_t)0))) ? rmod_5 : (rmod_5 + ((int64_t)n)))];
  } else {
    condval_1 = 0x0p+0f/*0.000000e+00*/;
  }
  x[((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)((int)threadIdx.x)))] = ((y[((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)((int)threadIdx.x)))] / 0x1p+1f/*2.000000e+00*/) + ((condval + condval_1) / 0x1p+2f/*4.000000e+00*/));
}

extern "C" __global__ void __launch_bounds__(128, 1) relax_kernel_2(float* __restrict__ x, int n) {
  x[((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)((int)threadIdx.x)))] = (x[((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)((int)threadIdx.x)))] * -0x1p+0f/*-1.000000e+00*/);
}
