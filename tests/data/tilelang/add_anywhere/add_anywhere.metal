// Function: add_anywhere_kernel
#include <metal_stdlib>
#include <metal_simdgroup>
#define TILELANG_PRAGMA_UNROLL _Pragma("clang loop unroll(full)")
using namespace metal;

union __TVMArgUnion {
 int v_int[2];
};

struct add_anywhere_kernel_args_t {
  int n[2];
};

[[kernel, max_total_threads_per_threadgroup(128)]] void add_anywhere_kernel(  const device float* __restrict a [[ buffer(0) ]],
  const device float* __restrict b [[ buffer(1) ]],
  device float* __restrict c [[ buffer(2) ]],
  constant add_anywhere_kernel_args_t& arg [[ buffer(3) ]],
  uint3 blockIdx [[threadgroup_position_in_grid]],
  uint3 __gridDim [[threadgroups_per_grid]],
  uint3 threadIdx [[thread_position_in_threadgroup]],
  uint __simd_group_id [[simdgroup_index_in_threadgroup]]
) {
  if (((((int)blockIdx.x) * 128) + ((int)threadIdx.x)) < arg.n[0]) {
    c[((((long)((int)blockIdx.x)) * (long)128) + ((long)((int)threadIdx.x)))] = (a[((((long)((int)blockIdx.x)) * (long)128) + ((long)((int)threadIdx.x)))] + b[((((long)((int)blockIdx.x)) * (long)128) + ((long)((int)threadIdx.x)))]);
  }
}
