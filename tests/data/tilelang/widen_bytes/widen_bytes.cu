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

extern "C" __global__ void widen_bytes_kernel(const uchar* __restrict__ x, float* __restrict__ y);
extern "C" __global__ void __launch_bounds__(128, 1) widen_bytes_kernel(const uchar* __restrict__ x, float* __restrict__ y) {
  y[((((int)blockIdx.x) * 128) + ((int)threadIdx.x))] = (((float)x[((((int)blockIdx.x) * 128) + ((int)threadIdx.x))]) * 0x1p-1f/*5.000000e-01*/);
}
