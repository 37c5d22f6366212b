// Function: softmax_shared_kernel
#include <metal_stdlib>
#include <metal_simdgroup>
#define TILELANG_PRAGMA_UNROLL _Pragma("clang loop unroll(full)")
using namespace metal;

union __TVMArgUnion {
 int v_int[2];
};

struct softmax_shared_kernel_args_t {
  int m[2];
};

[[kernel, max_total_threads_per_threadgroup(128)]] void softmax_shared_kernel(  const device float* __restrict x [[ buffer(0) ]],
  device float* __restrict y [[ buffer(1) ]],
  constant softmax_shared_kernel_args_t& arg [[ buffer(2) ]],
  uint3 blockIdx [[threadgroup_position_in_grid]],
  uint3 __gridDim [[threadgroups_per_grid]],
  uint3 threadIdx [[thread_position_in_threadgroup]],
  uint __simd_group_id [[simdgroup_index_in_threadgroup]]
) {
  threadgroup float values[128];
  thread float largest[1];
  thread float total[1];
  values[((int)threadIdx.x)] = x[((((long)((int)blockIdx.x)) * (long)128) + ((long)((int)threadIdx.x)))];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  largest[0] = values[0];
  total[0] = 0.000000e+00f;
  #pragma clang loop unroll(disable)
  for (int j = 0; j < 128; ++j) {
    largest[0] = max(largest[0], values[j]);
  }
  #pragma clang loop unroll(disable)
  for (int j_1 = 0; j_1 < 128; ++j_1) {
    total[0] = (total[0] + exp((values[j_1] - largest[0])));
  }
  y[((((long)((int)blockIdx.x)) * (long)128) + ((long)((int)threadIdx.x)))] = (exp((values[((int)threadIdx.x)] - largest[0])) / total[0]);
}
