// tilelang target: {"kind":"c","tag":"","keys":["cpu"],"host":{"kind":"c","tag":"","keys":["cpu"]}}
#include <tl_templates/cpp/common.h>

#ifdef __cplusplus
extern "C"
#endif
int32_t gemm_kernel(float* A, float* B, float* C, int32_t m);
#ifdef __cplusplus
extern "C"
#endif
int32_t gemm_kernel(float* A, float* B, float* C, int32_t m) {
  float C_tile[4096];
  float A_tile[4096];
  float B_tile[4096];
  for (int32_t bx = 0; bx < 4; ++bx) {
    for (int32_t by = 0; by < ((m + 63) >> 6); ++by) {
      for (int32_t i = 0; i < 64; ++i) {
        for (int32_t j = 0; j < 64; ++j) {
          C_tile[((i * 64) + j)] = 0.000000e+00f;
        }
      }
      for (int32_t k_block = 0; k_block < 4; ++k_block) {
        for (int32_t i_j_fused = 0; i_j_fused < 1024; ++i_j_fused) {
          float broadcast_var = 0.000000e+00f;
          float4 condval;
          if ((((by * 64) + (i_j_fused >> 4)) < m)) {
            condval = *(float4*)(A + ((((((int64_t)by) * (int64_t)16384) + ((((int64_t)i_j_fused) >> (int64_t)4) * (int64_t)256)) + (((int64_t)k_block) * (int64_t)64)) + ((((int64_t)i_j_fused) & (int64_t)15) * (int64_t)4)));
          } else {
            condval = ((float4)(broadcast_var, broadcast_var, broadcast_var, broadcast_var));
          }
          *(float4*)(A_tile + (i_j_fused * 4)) = condval;
        }
        for (int32_t i_j_fused_1 = 0; i_j_fused_1 < 1024; ++i_j_fused_1) {
          *(float4*)(B_tile + (i_j_fused_1 * 4)) = *(float4*)(B + ((((k_block * 16384) + ((i_j_fused_1 >> 4) * 256)) + (bx * 64)) + ((i_j_fused_1 & 15) * 4)));
        }
        for (int32_t i_1 = 0; i_1 < 64; ++i_1) {
          for (int32_t k = 0; k < 64; ++k) {
            for (int32_t j_1 = 0; j_1 < 64; ++j_1) {
              C_tile[((i_1 * 64) + j_1)] = (C_tile[((i_1 * 64) + j_1)] + (A_tile[((i_1 * 64) + k)] * B_tile[((k * 64) + j_1)]));
            }
          }
        }
      }
      for (int32_t i_j_fused_2 = 0; i_j_fused_2 < 1024; ++i_j_fused_2) {
        if (((by * 64) + (i_j_fused_2 >> 4)) < m) {
          *(float4*)(C + ((((((int64_t)by) * (int64_t)16384) + ((((int64_t)i_j_fused_2) >> (int64_t)4) * (int64_t)256)) + (((int64_t)bx) * (int64_t)64)) + ((((int64_t)i_j_fused_2) & (int64_t)15) * (int64_t)4))) = *(float4*)(C_tile + (i_j_fused_2 * 4));
        }
      }
    }
  }
  return 0;
}
