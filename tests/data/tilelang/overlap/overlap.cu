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

extern "C" __global__ void overlap_kernel(float* __restrict__ middle, const float* __restrict__ x);
extern "C" __global__ void overlap_kernel_1(const float* middle, float* y);
extern "C" __global__ void __launch_bounds__(256, 1) overlap_kernel(float* __restrict__ middle, const float* __restrict__ x) {
  middle[((((int)blockIdx.x) * 256) + ((int)threadIdx.x))] = (x[((((int)blockIdx.x) * 256) + ((int)threadIdx.x))] + 0x1p+0f/*1.000000e+00*/);
  cudaTriggerProgrammaticLaunchCompletion();
}

extern "C" __global__ void __launch_bounds__(256, 1) overlap_kernel_1(const float* middle, float* y) {
  cudaGridDependencySynchronize();
  y[((((int)blockIdx.x) * 256) + ((int)threadIdx.x))] = (middle[((((int)blockIdx.x) * 256) + ((int)threadIdx.x))] * 0x1p+1f/*2.000000e+00*/);
}
