#include <hip/hip_runtime.h>
#include <tl_templates/hip/gemm.h>
#include <tl_templates/hip/copy.h>
#include <tl_templates/hip/reduce.h>
#include <tl_templates/hip/scan.h>
#include <tl_templates/hip/ldsm.h>
#include <tl_templates/hip/threadblock_swizzle.h>
#include <tl_templates/hip/debug.h>

extern "C" __global__ void __launch_bounds__(128) unpack_bytes_kernel(signed char* __restrict__ bytes, int* __restrict__ packed, int n) {
  for (int k = 0; k < 4; ++k) {
    bytes[((((int64_t)((int)blockIdx.x)) * (int64_t)4) + ((int64_t)k))] = ((signed char)(packed[((int64_t)((int)blockIdx.x))] >> (k * 8)));
  }
}
