#include <hip/hip_runtime.h>
#include <tl_templates/hip/gemm.h>
#include <tl_templates/hip/copy.h>
#include <tl_templates/hip/reduce.h>
#include <tl_templates/hip/scan.h>
#include <tl_templates/hip/ldsm.h>
#include <tl_templates/hip/threadblock_swizzle.h>
#include <tl_templates/hip/debug.h>

extern "C" __global__ void __launch_bounds__(128) scale_kernel(float* __restrict__ x, float* __restrict__ y, float factor, int n) {
  for (int i = 0; i < 1024; ++i) {
    if (((((int)blockIdx.x) * 1024) + i) < n) {
      y[((((int64_t)((int)blockIdx.x)) * (int64_t)1024) + ((int64_t)i))] = (factor * x[((((int64_t)((int)blockIdx.x)) * (int64_t)1024) + ((int64_t)i))]);
    }
  }
}
