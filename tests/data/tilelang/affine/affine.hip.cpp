#include <hip/hip_runtime.h>
#include <tl_templates/hip/gemm.h>
#include <tl_templates/hip/copy.h>
#include <tl_templates/hip/reduce.h>
#include <tl_templates/hip/scan.h>
#include <tl_templates/hip/ldsm.h>
#include <tl_templates/hip/threadblock_swizzle.h>
#include <tl_templates/hip/debug.h>

extern "C" __global__ void __launch_bounds__(128) affine_kernel(double* __restrict__ x, double* __restrict__ y, int64_t count, int64_t n, int offset, int shift, double slope) {
  if (((int64_t)blockIdx.x) < count) {
    y[((int64_t)blockIdx.x)] = ((slope * x[((int64_t)blockIdx.x)]) + ((double)(offset << shift)));
  } else {
    y[((int64_t)blockIdx.x)] = 0.000000e+00;
  }
}
