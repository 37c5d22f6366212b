// tilelang target: {"kind":"c","tag":"","keys":["cpu"],"host":{"kind":"c","tag":"","keys":["cpu"]}}
#include <tl_templates/cpp/common.h>

#ifdef __cplusplus
extern "C"
#endif
int32_t add_half_kernel(half* a, half* b, half* c, int32_t n);
#ifdef __cplusplus
extern "C"
#endif
int32_t add_half_kernel(half* a, half* b, half* c, int32_t n) {
  for (int32_t bx = 0; bx < n; ++bx) {
    c[((int64_t)bx)] = (a[((int64_t)bx)] + b[((int64_t)bx)]);
  }
  return 0;
}
