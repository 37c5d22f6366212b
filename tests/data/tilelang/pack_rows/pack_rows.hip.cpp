#include <hip/hip_runtime.h>
#include <tl_templates/hip/gemm.h>
#include <tl_templates/hip/copy.h>
#include <tl_templates/hip/reduce.h>
#include <tl_templates/hip/scan.h>
#include <tl_templates/hip/ldsm.h>
#include <tl_templates/hip/threadblock_swizzle.h>
#include <tl_templates/hip/debug.h>

extern "C" __global__ void __launch_bounds__(128) pack_rows_kernel(float* __restrict__ x, float* __restrict__ y, int m, int n, int pitch) {
  for (int j = 0; j < n; ++j) {
    y[((((int64_t)((int)blockIdx.x)) * ((int64_t)n)) + ((int64_t)j))] = x[((((int64_t)((int)blockIdx.x)) * ((int64_t)pitch)) + ((int64_t)j))];
  }
}
