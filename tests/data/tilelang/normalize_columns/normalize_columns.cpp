// tilelang target: {"kind":"c","tag":"","keys":["cpu"],"host":{"kind":"c","tag":"","keys":["cpu"]}}
#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
int32_t normalize_columns_kernel(float* total, float* x, float* y, int32_t m);
#ifdef __cplusplus
extern "C"
#endif
int32_t normalize_columns_kernel(float* total, float* x, float* y, int32_t m) {
  float column_sum[1];
  for (int32_t bx = 0; bx < 64; ++bx) {
    column_sum[0] = 0.000000e+00f;
    for (int32_t i = 0; i < m; ++i) {
      column_sum[0] = (column_sum[0] + x[((((int64_t)i) * (int64_t)64) + ((int64_t)bx))]);
    }
    total[bx] = column_sum[0];
  }
  for (int32_t bx_1 = 0; bx_1 < m; ++bx_1) {
    for (int32_t j = 0; j < 64; ++j) {
      y[((((int64_t)bx_1) * (int64_t)64) + ((int64_t)j))] = (x[((((int64_t)bx_1) * (int64_t)64) + ((int64_t)j))] / total[j]);
    }
  }
  return 0;
}
