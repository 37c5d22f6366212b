// tilelang target: {"kind":"c","tag":"","keys":["cpu"],"host":{"kind":"c","tag":"","keys":["cpu"]}}
#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
int32_t unpack_bytes_kernel(int8_t* bytes, int32_t* packed, int32_t n);
#ifdef __cplusplus
extern "C"
#endif
int32_t unpack_bytes_kernel(int8_t* bytes, int32_t* packed, int32_t n) {
  for (int32_t bx = 0; bx < n; ++bx) {
    for (int32_t k = 0; k < 4; ++k) {
      bytes[((((int64_t)bx) * (int64_t)4) + ((int64_t)k))] = ((int8_t)(packed[((int64_t)bx)] >> (k * 8)));
    }
  }
  return 0;
}
