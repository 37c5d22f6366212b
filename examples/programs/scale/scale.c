// y = factor * x for a vector of any length.
#include <stdint.h>

void scale(const float* x, float factor, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = factor * x[i];
}
