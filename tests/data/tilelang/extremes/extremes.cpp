// tilelang target: {"kind":"c","tag":"","keys":["cpu"],"host":{"kind":"c","tag":"","keys":["cpu"]}}
#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
int32_t extremes_kernel(float* high, float* low, int32_t* where, float* x, int32_t m, int32_t n);
#ifdef __cplusplus
extern "C"
#endif
int32_t extremes_kernel(float* high, float* low, int32_t* where, float* x, int32_t m, int32_t n) {
  for (int32_t bx = 0; bx < m; ++bx) {
    low[((int64_t)bx)] = x[(((int64_t)bx) * ((int64_t)n))];
    high[((int64_t)bx)] = x[(((int64_t)bx) * ((int64_t)n))];
    where[((int64_t)bx)] = 0;
    for (int32_t j = 0; j < n; ++j) {
      float v_ = low[((int64_t)bx)];
      float v__1 = x[((((int64_t)bx) * ((int64_t)n)) + ((int64_t)j))];
      low[((int64_t)bx)] = ((v_) < (v__1) ? (v_) : (v__1));
      bool if_condition = (high[((int64_t)bx)] < x[((((int64_t)bx) * ((int64_t)n)) + ((int64_t)j))]);
      if (if_condition) {
        high[((int64_t)bx)] = x[((((int64_t)bx) * ((int64_t)n)) + ((int64_t)j))];
        where[((int64_t)bx)] = j;
      }
    }
  }
  return 0;
}
