#include <hip/hip_runtime.h>
#include <tl_templates/hip/gemm.h>
#include <tl_templates/hip/copy.h>
#include <tl_templates/hip/reduce.h>
#include <tl_templates/hip/scan.h>
#include <tl_templates/hip/ldsm.h>
#include <tl_templates/hip/threadblock_swizzle.h>
#include <tl_templates/hip/debug.h>

extern "C" __global__ void __launch_bounds__(128) row_sum_kernel(float* __restrict__ s, float* __restrict__ x, int m, int n) {
  float total[1];
  total[0] = 0.000000e+00f;
  for (int j = 0; j < n; ++j) {
    total[0] = (total[0] + x[((((int64_t)((int)blockIdx.x)) * ((int64_t)n)) + ((int64_t)j))]);
  }
  s[((int64_t)((int)blockIdx.x))] = total[0];
}
