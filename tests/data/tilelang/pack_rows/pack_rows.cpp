// tilelang target: {"kind":"c","tag":"","keys":["cpu"],"host":{"kind":"c","tag":"","keys":["cpu"]}}
#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
int32_t pack_rows_kernel(float* x, float* y, int32_t m, int32_t n, int32_t pitch);
#ifdef __cplusplus
extern "C"
#endif
int32_t pack_rows_kernel(float* x, float* y, int32_t m, int32_t n, int32_t pitch) {
  for (int32_t bx = 0; bx < m; ++bx) {
    for (int32_t j = 0; j < n; ++j) {
      y[((((int64_t)bx) * ((int64_t)n)) + ((int64_t)j))] = x[((((int64_t)bx) * ((int64_t)pitch)) + ((int64_t)j))];
    }
  }
  return 0;
}
