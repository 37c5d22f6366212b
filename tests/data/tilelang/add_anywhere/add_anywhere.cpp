// tilelang target: {"kind":"c","tag":"","keys":["cpu"],"host":{"kind":"c","tag":"","keys":["cpu"]}}
#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
int32_t add_anywhere_kernel(float* a, float* b, float* c, int32_t n);
#ifdef __cplusplus
extern "C"
#endif
int32_t add_anywhere_kernel(float* a, float* b, float* c, int32_t n) {
  for (int32_t bx = 0; bx < ((n + 127) >> 7); ++bx) {
    for (int32_t i = 0; i < 128; ++i) {
      if (((bx * 128) + i) < n) {
        c[((((int64_t)bx) * (int64_t)128) + ((int64_t)i))] = (a[((((int64_t)bx) * (int64_t)128) + ((int64_t)i))] + b[((((int64_t)bx) * (int64_t)128) + ((int64_t)i))]);
      }
    }
  }
  return 0;
}
