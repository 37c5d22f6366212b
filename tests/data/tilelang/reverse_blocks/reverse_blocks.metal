// Function: reverse_blocks_kernel
#include <metal_stdlib>
#include <metal_simdgroup>
#define TILELANG_PRAGMA_UNROLL _Pragma("clang loop unroll(full)")
using namespace metal;

union __TVMArgUnion {
 int v_int[2];
};

struct reverse_blocks_kernel_args_t {
  int n[2];
};

[[kernel, max_total_threads_per_threadgroup(128)]] void reverse_blocks_kernel(  const device float* __restrict x [[ buffer(0) ]],
  device float* __restrict y [[ buffer(1) ]],
  constant reverse_blocks_kernel_args_t& arg [[ buffer(2) ]],
  uint3 blockIdx [[threadgroup_position_in_grid]],
  uint3 __gridDim [[threadgroups_per_grid]],
  uint3 threadIdx [[thread_position_in_threadgroup]],
  uint __simd_group_id [[simdgroup_index_in_threadgroup]]
) {
  threadgroup float tile[128];
  tile[((int)threadIdx.x)] = x[((((long)((int)blockIdx.x)) * (long)128) + ((long)((int)threadIdx.x)))];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[((((long)((int)blockIdx.x)) * (long)128) + ((long)((int)threadIdx.x)))] = tile[(127 - ((int)threadIdx.x))];
}
