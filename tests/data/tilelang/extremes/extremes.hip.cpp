#include <hip/hip_runtime.h>
#include <tl_templates/hip/gemm.h>
#include <tl_templates/hip/copy.h>
#include <tl_templates/hip/reduce.h>
#include <tl_templates/hip/scan.h>
#include <tl_templates/hip/ldsm.h>
#include <tl_templates/hip/threadblock_swizzle.h>
#include <tl_templates/hip/debug.h>

extern "C" __global__ void __launch_bounds__(128) extremes_kernel(float* __restrict__ high, float* __restrict__ low, int* __restrict__ where, float* __restrict__ x, int m, int n) {
  low[((int64_t)((int)blockIdx.x))] = x[(((int64_t)((int)blockIdx.x)) * ((int64_t)n))];
  high[((int64_t)((int)blockIdx.x))] = x[(((int64_t)((int)blockIdx.x)) * ((int64_t)n))];
  where[((int64_t)((int)blockIdx.x))] = 0;
  for (int j = 0; j < n; ++j) {
    low[((int64_t)((int)blockIdx.x))] = min(low[((int64_t)((int)blockIdx.x))], x[((((int64_t)((int)blockIdx.x)) * ((int64_t)n)) + ((int64_t)j))]);
    bool if_condition = (high[((int64_t)((int)blockIdx.x))] < x[((((int64_t)((int)blockIdx.x)) * ((int64_t)n)) + ((int64_t)j))]);
    if (if_condition) {
      high[((int64_t)((int)blockIdx.x))] = x[((((int64_t)((int)blockIdx.x)) * ((int64_t)n)) + ((int64_t)j))];
      where[((int64_t)((int)blockIdx.x))] = j;
    }
  }
}
