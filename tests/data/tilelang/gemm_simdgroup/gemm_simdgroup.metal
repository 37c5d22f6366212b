// Function: gemm_simdgroup_kernel
#include <metal_stdlib>
#include <metal_simdgroup>
#define TILELANG_PRAGMA_UNROLL _Pragma("clang loop unroll(full)")
using namespace metal;

union __TVMArgUnion {
 int v_int[2];
};

[[kernel, max_total_threads_per_threadgroup(128)]] void gemm_simdgroup_kernel(  const device uint4* __restrict A [[ buffer(0) ]],
  const device uint4* __restrict B [[ buffer(1) ]],
  device float* __restrict C [[ buffer(2) ]],
  uint3 blockIdx [[threadgroup_position_in_grid]],
  uint3 __gridDim [[threadgroups_per_grid]],
  uint3 threadIdx [[thread_position_in_threadgroup]],
  uint __simd_group_id [[simdgroup_index_in_threadgroup]]
) {
  threadgroup uchar buf_dyn_shmem[4096];
  threadgroup half* A_tile = (threadgroup half*)((threadgroup void*)((threadgroup char*)buf_dyn_shmem + 0));
  threadgroup half* B_tile = (threadgroup half*)((threadgroup void*)((threadgroup char*)buf_dyn_shmem + 2048));
  simdgroup_float8x8 C_tile[16];
  C_tile[0] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  C_tile[1] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  C_tile[2] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  C_tile[3] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  C_tile[4] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  C_tile[5] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  C_tile[6] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  C_tile[7] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  C_tile[8] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  C_tile[9] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  C_tile[10] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  C_tile[11] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  C_tile[12] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  C_tile[13] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  C_tile[14] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  C_tile[15] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  for (int k = 0; k < 2; ++k) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    *(threadgroup uint4*)(A_tile + (((int)threadIdx.x) * 8)) = A[(((((((int)blockIdx.y) * 2048) + ((((int)threadIdx.x) >> 2) * 64)) + (k * 32)) + ((((int)threadIdx.x) & 3) * 8)) / 8)];
    *(threadgroup uint4*)(B_tile + (((int)threadIdx.x) * 8)) = B[(((((k * 2048) + ((((int)threadIdx.x) >> 2) * 64)) + (((int)blockIdx.x) * 32)) + ((((int)threadIdx.x) & 3) * 8)) / 8)];
    simdgroup_half8x8 A_local[2];
    simdgroup_half8x8 B_local[2];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int ki = 0; ki < 4; ++ki) {
      for (int i = 0; i < 2; ++i) {
        simdgroup_load(A_local[i], (&(A_tile[((((((int)__simd_group_id) & 1) * 512) + (i * 256)) + (ki * 8))])), 32, 0, (bool)0);
      }
      for (int j = 0; j < 2; ++j) {
        simdgroup_load(B_local[j], (&(B_tile[(((ki * 256) + ((((int)__simd_group_id) >> 1) * 16)) + (j * 8))])), 32, 0, (bool)0);
      }
      for (int i_1 = 0; i_1 < 2; ++i_1) {
        for (int j_1 = 0; j_1 < 2; ++j_1) {
          simdgroup_multiply_accumulate(C_tile[((i_1 * 2) + j_1)], A_local[i_1], B_local[j_1], C_tile[((i_1 * 2) + j_1)]);
        }
      }
    }
  }
  simdgroup_store(C_tile[0], (&(C[((((((int)blockIdx.y) * 2048) + ((((int)__simd_group_id) & 1) * 1024)) + (((int)blockIdx.x) * 32)) + ((((int)__simd_group_id) >> 1) * 16))])), 64, 0, (bool)0);
  simdgroup_store(C_tile[1], (&(C[(((((((int)blockIdx.y) * 2048) + ((((int)__simd_group_id) & 1) * 1024)) + (((int)blockIdx.x) * 32)) + ((((int)__simd_group_id) >> 1) * 16)) + 8)])), 64, 0, (bool)0);
  simdgroup_store(C_tile[2], (&(C[(((((((int)blockIdx.y) * 2048) + ((((int)__simd_group_id) & 1) * 1024)) + (((int)blockIdx.x) * 32)) + ((((int)__simd_group_id) >> 1) * 16)) + 512)])), 64, 0, (bool)0);
  simdgroup_store(C_tile[3], (&(C[(((((((int)blockIdx.y) * 2048) + ((((int)__simd_group_id) & 1) * 1024)) + (((int)blockIdx.x) * 32)) + ((((int)__simd_group_id) >> 1) * 16)) + 520)])), 64, 0, (bool)0);
}
