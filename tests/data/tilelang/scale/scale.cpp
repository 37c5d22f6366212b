// tilelang target: {"kind":"c","tag":"","keys":["cpu"],"host":{"kind":"c","tag":"","keys":["cpu"]}}
#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
int32_t scale_kernel(float* x, float* y, float factor, int32_t n);
#ifdef __cplusplus
extern "C"
#endif
int32_t scale_kernel(float* x, float* y, float factor, int32_t n) {
  for (int32_t bx = 0; bx < ((n + 1023) >> 10); ++bx) {
    for (int32_t i = 0; i < 1024; ++i) {
      if (((bx * 1024) + i) < n) {
        y[((((int64_t)bx) * (int64_t)1024) + ((int64_t)i))] = (factor * x[((((int64_t)bx) * (int64_t)1024) + ((int64_t)i))]);
      }
    }
  }
  return 0;
}
