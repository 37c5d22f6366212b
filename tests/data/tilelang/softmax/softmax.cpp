// tilelang target: {"kind":"c","tag":"","keys":["cpu"],"host":{"kind":"c","tag":"","keys":["cpu"]}}
#include <stdint.h>
#include <math.h>

#ifdef __cplusplus
extern "C"
#endif
int32_t softmax_kernel(float* x, float* y, int32_t m);
#ifdef __cplusplus
extern "C"
#endif
float expf(float);
#ifdef __cplusplus
extern "C"
#endif
int32_t softmax_kernel(float* x, float* y, int32_t m) {
  float largest[1];
  float total[1];
  for (int32_t bx = 0; bx < m; ++bx) {
    largest[0] = x[(((int64_t)bx) * (int64_t)128)];
    total[0] = 0.000000e+00f;
    for (int32_t j = 0; j < 128; ++j) {
      float v_ = largest[0];
      float v__1 = x[((((int64_t)bx) * (int64_t)128) + ((int64_t)j))];
      largest[0] = ((v_) > (v__1) ? (v_) : (v__1));
    }
    for (int32_t j_1 = 0; j_1 < 128; ++j_1) {
      y[((((int64_t)bx) * (int64_t)128) + ((int64_t)j_1))] = expf((x[((((int64_t)bx) * (int64_t)128) + ((int64_t)j_1))] - largest[0]));
      total[0] = (total[0] + y[((((int64_t)bx) * (int64_t)128) + ((int64_t)j_1))]);
    }
    for (int32_t j_2 = 0; j_2 < 128; ++j_2) {
      y[((((int64_t)bx) * (int64_t)128) + ((int64_t)j_2))] = (y[((((int64_t)bx) * (int64_t)128) + ((int64_t)j_2))] / total[0]);
    }
  }
  return 0;
}
