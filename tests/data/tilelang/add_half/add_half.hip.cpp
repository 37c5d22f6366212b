#include <hip/hip_runtime.h>
#include <tl_templates/hip/gemm.h>
#include <tl_templates/hip/copy.h>
#include <tl_templates/hip/reduce.h>
#include <tl_templates/hip/scan.h>
#include <tl_templates/hip/ldsm.h>
#include <tl_templates/hip/threadblock_swizzle.h>
#include <tl_templates/hip/debug.h>

extern "C" __global__ void __launch_bounds__(128) add_half_kernel(half_t* __restrict__ a, half_t* __restrict__ b, half_t* __restrict__ c, int n) {
  c[((int64_t)((int)blockIdx.x))] = (a[((int64_t)((int)blockIdx.x))] + b[((int64_t)((int)blockIdx.x))]);
}
