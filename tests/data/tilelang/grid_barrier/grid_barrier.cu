#if defined(_MSC_VER) && !defined(__clang__) && _MSC_VER < 1940
#define _tl_orig_alignas alignas
#define alignas(N) _tl_orig_alignas((N) <= 64 ? (N) : 64)
#include <cuda.h>
#undef alignas
#define alignas _tl_orig_alignas
#endif
#include <cooperative_groups.h>
#include <tl_templates/cuda/reduce.h>
#include <tl_templates/cuda/scan.h>
#include <tl_templates/cuda/ldsm.h>
#include <tl_templates/cuda/threadblock_swizzle.h>
#include <tl_templates/cuda/debug.h>
#ifdef ENABLE_BF16
#include <tl_templates/cuda/cuda_bf16_fallbacks.cuh>
#endif

extern "C" __global__ void grid_barrier_kernel(float* __restrict__ middle, const float* __restrict__ x, float* __restrict__ y);
extern "C" __global__ void __launch_bounds__(256, 1) grid_barrier_kernel(float* __restrict__ middle, const float* __restrict__ x, float* __restrict__ y) {
  middle[((((int)blockIdx.x) * 256) + ((int)threadIdx.x))] = (x[((((int)blockIdx.x) * 256) + ((int)threadIdx.x))] + x[((((((int)blockIdx.x) * 256) + ((int)threadIdx.x)) + 1) & 4095)]);
  cooperative_groups::this_grid().sync();
  y[((((int)blockIdx.x) * 256) + ((int)threadIdx.x))] = (middle[((((int)blockIdx.x) * 256) + ((int)threadIdx.x))] + middle[((((((int)blockIdx.x) * 256) + ((int)threadIdx.x)) + 1) & 4095)]);
}
