#include <hip/hip_runtime.h>
#include <tl_templates/hip/gemm.h>
#include <tl_templates/hip/copy.h>
#include <tl_templates/hip/reduce.h>
#include <tl_templates/hip/scan.h>
#include <tl_templates/hip/ldsm.h>
#include <tl_templates/hip/threadblock_swizzle.h>
#include <tl_templates/hip/debug.h>

extern "C" __global__ void __launch_bounds__(128) softmax_kernel(float* __restrict__ x, float* __restrict__ y, int m) {
  float largest[1];
  float total[1];
  largest[0] = x[(((int64_t)((int)blockIdx.x)) * (int64_t)128)];
  total[0] = 0.000000e+00f;
  for (int j = 0; j < 128; ++j) {
    largest[0] = max(largest[0], x[((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)j))]);
  }
  for (int j_1 = 0; j_1 < 128; ++j_1) {
    y[((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)j_1))] = __expf((x[((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)j_1))] - largest[0]));
    total[0] = (total[0] + y[((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)j_1))]);
  }
  for (int j_2 = 0; j_2 < 128; ++j_2) {
    y[((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)j_2))] = (y[((((int64_t)((int)blockIdx.x)) * (int64_t)128) + ((int64_t)j_2))] / total[0]);
  }
}
