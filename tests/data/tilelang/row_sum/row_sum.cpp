// tilelang target: {"kind":"c","tag":"","keys":["cpu"],"host":{"kind":"c","tag":"","keys":["cpu"]}}
#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
int32_t row_sum_kernel(float* s, float* x, int32_t m, int32_t n);
#ifdef __cplusplus
extern "C"
#endif
int32_t row_sum_kernel(float* s, float* x, int32_t m, int32_t n) {
  float total[1];
  for (int32_t bx = 0; bx < m; ++bx) {
    total[0] = 0.000000e+00f;
    for (int32_t j = 0; j < n; ++j) {
      total[0] = (total[0] + x[((((int64_t)bx) * ((int64_t)n)) + ((int64_t)j))]);
    }
    s[((int64_t)bx)] = total[0];
  }
  return 0;
}
