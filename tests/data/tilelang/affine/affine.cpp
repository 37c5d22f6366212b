// tilelang target: {"kind":"c","tag":"","keys":["cpu"],"host":{"kind":"c","tag":"","keys":["cpu"]}}
#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
int32_t affine_kernel(double* x, double* y, int64_t count, int64_t n, int32_t offset, int32_t shift, double slope);
#ifdef __cplusplus
extern "C"
#endif
int32_t affine_kernel(double* x, double* y, int64_t count, int64_t n, int32_t offset, int32_t shift, double slope) {
  for (int64_t bx = (int64_t)0; bx < n; ++bx) {
    if (bx < count) {
      y[bx] = ((slope * x[bx]) + ((double)(offset << shift)));
    } else {
      y[bx] = 0.000000e+00;
    }
  }
  return 0;
}
