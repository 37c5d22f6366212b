// Mathematics, by the names of C, with CUDA's overloads for float.
#pragma once

#define KMUX_MATH_1(name)                   \
  extern "C" double name(double) noexcept;  \
  extern "C" float name##f(float) noexcept; \
  KMUX_DEVICE float name(float x) { return name##f(x); }
#define KMUX_MATH_2(name)                          \
  extern "C" double name(double, double) noexcept; \
  extern "C" float name##f(float, float) noexcept; \
  KMUX_DEVICE float name(float x, float y) { return name##f(x, y); }
KMUX_MATH_1(acos)
KMUX_MATH_1(acosh)
KMUX_MATH_1(asin)
KMUX_MATH_1(asinh)
KMUX_MATH_1(atan)
KMUX_MATH_1(atanh)
KMUX_MATH_1(cbrt)
KMUX_MATH_1(ceil)
KMUX_MATH_1(cos)
KMUX_MATH_1(cosh)
KMUX_MATH_1(erf)
KMUX_MATH_1(erfc)
KMUX_MATH_1(exp)
KMUX_MATH_1(exp2)
KMUX_MATH_1(expm1)
KMUX_MATH_1(fabs)
KMUX_MATH_1(floor)
KMUX_MATH_1(lgamma)
KMUX_MATH_1(log)
KMUX_MATH_1(log10)
KMUX_MATH_1(log1p)
KMUX_MATH_1(log2)
KMUX_MATH_1(nearbyint)
KMUX_MATH_1(rint)
KMUX_MATH_1(round)
KMUX_MATH_1(sin)
KMUX_MATH_1(sinh)
KMUX_MATH_1(sqrt)
KMUX_MATH_1(tan)
KMUX_MATH_1(tanh)
KMUX_MATH_1(tgamma)
KMUX_MATH_1(trunc)
KMUX_MATH_2(atan2)
KMUX_MATH_2(copysign)
KMUX_MATH_2(fdim)
KMUX_MATH_2(fmax)
KMUX_MATH_2(fmin)
KMUX_MATH_2(fmod)
KMUX_MATH_2(hypot)
KMUX_MATH_2(pow)
KMUX_MATH_2(remainder)
#undef KMUX_MATH_1
#undef KMUX_MATH_2
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
KMUX_DEVICE float fma(float a, float b, float c) { return fmaf(a, b, c); }
extern "C" int abs(int) noexcept;
KMUX_DEVICE float abs(float x) { return fabsf(x); }
KMUX_DEVICE double abs(double x) { return fabs(x); }
KMUX_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
KMUX_DEVICE float rsqrtf(float x) { return 1.0f / sqrtf(x); }
KMUX_DEVICE double rsqrt(double x) { return 1.0 / sqrt(x); }
KMUX_DEVICE float rsqrt(float x) { return rsqrtf(x); }
KMUX_DEVICE float exp10f(float x) { return powf(10.0f, x); }
KMUX_DEVICE void sincosf(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }
KMUX_DEVICE void sincos(double x, double* sine, double* cosine) { *sine = sin(x), *cosine = cos(x); }
KMUX_DEVICE bool isnan(float x) { return __builtin_isnan(x); }
KMUX_DEVICE bool isnan(double x) { return __builtin_isnan(x); }
KMUX_DEVICE bool isinf(float x) { return __builtin_isinf(x); }
KMUX_DEVICE bool isinf(double x) { return __builtin_isinf(x); }
KMUX_DEVICE bool isfinite(float x) { return __builtin_isfinite(x); }
KMUX_DEVICE bool isfinite(double x) { return __builtin_isfinite(x); }
KMUX_DEVICE float __expf(float x) { return expf(x); }
KMUX_DEVICE float __exp10f(float x) { return exp10f(x); }
KMUX_DEVICE float __logf(float x) { return logf(x); }
KMUX_DEVICE float __log2f(float x) { return log2f(x); }
KMUX_DEVICE float __log10f(float x) { return log10f(x); }
KMUX_DEVICE float __sinf(float x) { return sinf(x); }
KMUX_DEVICE float __cosf(float x) { return cosf(x); }
KMUX_DEVICE float __tanf(float x) { return tanf(x); }
KMUX_DEVICE float __powf(float x, float y) { return powf(x, y); }
template <class A, class B>
KMUX_DEVICE auto min(A a, B b) -> decltype(a + b) {
  return a < b ? a : b;
}
template <class A, class B>
KMUX_DEVICE auto max(A a, B b) -> decltype(a + b) {
  return a < b ? b : a;
}
KMUX_DEVICE float min(float a, float b) { return fminf(a, b); }
KMUX_DEVICE float max(float a, float b) { return fmaxf(a, b); }
KMUX_DEVICE double min(double a, double b) { return fmin(a, b); }
KMUX_DEVICE double max(double a, double b) { return fmax(a, b); }
