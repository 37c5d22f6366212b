// Complex numbers as in cuComplex.h: the real part is x, the imaginary one y.
#pragma once
#include <kmux/roots.h>

#define KMUX_COMPLEX(Complex, Real, pair, f, make)                                                                   \
  KMUX_DEVICE Complex make(Real x, Real y) { return make_##pair(x, y); }                                             \
  KMUX_DEVICE Real cuCreal##f(Complex z) { return z.x; }                                                             \
  KMUX_DEVICE Real cuCimag##f(Complex z) { return z.y; }                                                             \
  KMUX_DEVICE Complex cuConj##f(Complex z) { return make(z.x, -z.y); }                                               \
  KMUX_DEVICE Complex cuCadd##f(Complex u, Complex v) { return make(u.x + v.x, u.y + v.y); }                         \
  KMUX_DEVICE Complex cuCsub##f(Complex u, Complex v) { return make(u.x - v.x, u.y - v.y); }                         \
  KMUX_DEVICE Complex cuCmul##f(Complex u, Complex v) { return make(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x); } \
  /* Both are made smaller by the size of v, so that no product is beyond the numbers where the quotient is one. */  \
  KMUX_DEVICE Complex cuCdiv##f(Complex u, Complex v) {                                                              \
    const Real scale = Real(1) / (kmux_abs(v.x) + kmux_abs(v.y));                                                    \
    const Real a = u.x * scale, b = u.y * scale, c = v.x * scale, d = v.y * scale;                                   \
    const Real inverse = Real(1) / (c * c + d * d);                                                                  \
    return make((a * c + b * d) * inverse, (b * c - a * d) * inverse);                                               \
  }                                                                                                                  \
  KMUX_DEVICE Real cuCabs##f(Complex z) { return hypot##f(z.x, z.y); }                                               \
  KMUX_DEVICE Complex cuCfma##f(Complex u, Complex v, Complex w) {                                                   \
    return make(fma##f(-u.y, v.y, fma##f(u.x, v.x, w.x)), fma##f(u.y, v.x, fma##f(u.x, v.y, w.y)));                  \
  }
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
KMUX_COMPLEX(cuFloatComplex, float, float2, f, make_cuFloatComplex)
KMUX_COMPLEX(cuDoubleComplex, double, double2, , make_cuDoubleComplex)
#undef KMUX_COMPLEX
KMUX_DEVICE cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
KMUX_DEVICE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
KMUX_DEVICE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_cuFloatComplex(static_cast<float>(z.x), static_cast<float>(z.y));
}
