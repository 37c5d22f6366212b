// tilelang target: {"kind":"c","tag":"","keys":["cpu"],"host":{"kind":"c","tag":"","keys":["cpu"]}}
#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
int32_t copy_without_bias_kernel(float* x, float* y, int32_t n);
#ifdef __cplusplus
extern "C"
#endif
int32_t copy_without_bias_kernel(float* x, float* y, int32_t n) {
  for (int32_t bx = 0; bx < n; ++bx) {
    y[((int64_t)bx)] = x[((int64_t)bx)];
  }
  return 0;
}
