// Mathematical functions by their C names, with CUDA's overloads for float.
#pragma once

// Compiler builtins that map to processor instructions.
#define KMUX_BUILTIN_1(name)                                        \
  KMUX_DEVICE double name(double x) { return __builtin_##name(x); } \
  KMUX_DEVICE float name##f(float x) { return __builtin_##name##f(x); }
#define KMUX_BUILTIN_2(name)                                                     \
  KMUX_DEVICE double name(double x, double y) { return __builtin_##name(x, y); } \
  KMUX_DEVICE float name##f(float x, float y) { return __builtin_##name##f(x, y); }
KMUX_BUILTIN_1(ceil)
KMUX_BUILTIN_1(fabs)
KMUX_BUILTIN_1(floor)
KMUX_BUILTIN_1(nearbyint)
KMUX_BUILTIN_1(rint)
KMUX_BUILTIN_1(round)
KMUX_BUILTIN_1(sqrt)
KMUX_BUILTIN_1(trunc)
KMUX_BUILTIN_2(copysign)
KMUX_BUILTIN_2(fmax)
KMUX_BUILTIN_2(fmin)
#undef KMUX_BUILTIN_1
#undef KMUX_BUILTIN_2
KMUX_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
KMUX_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

// Functions of the C library, called for one thread after another.
#define KMUX_LIBRARY(name)                 \
  extern "C" double name(double) noexcept; \
  extern "C" float name##f(float) noexcept;
KMUX_LIBRARY(acosh)
KMUX_LIBRARY(asinh)
KMUX_LIBRARY(atanh)
KMUX_LIBRARY(j0)
KMUX_LIBRARY(j1)
KMUX_LIBRARY(lgamma)
KMUX_LIBRARY(tgamma)
KMUX_LIBRARY(y0)
KMUX_LIBRARY(y1)
#undef KMUX_LIBRARY
extern "C" double jn(int, double) noexcept;
extern "C" float jnf(int, float) noexcept;
extern "C" double yn(int, double) noexcept;
extern "C" float ynf(int, float) noexcept;
extern "C" double nextafter(double, double) noexcept;
extern "C" float nextafterf(float, float) noexcept;

KMUX_DEVICE double fdim(double x, double y) { return kmux_choose(x <= y, 0.0, x - y); }
KMUX_DEVICE float fdimf(float x, float y) { return kmux_choose(x <= y, 0.0f, x - y); }
KMUX_DEVICE float rsqrtf(float x) { return 1.0f / sqrtf(x); }
KMUX_DEVICE double rsqrt(double x) { return 1.0 / sqrt(x); }

KMUX_OVERLOAD_1(acosh)
KMUX_OVERLOAD_1(asinh)
KMUX_OVERLOAD_1(atanh)
KMUX_OVERLOAD_1(ceil)
KMUX_OVERLOAD_1(fabs)
KMUX_OVERLOAD_1(floor)
KMUX_OVERLOAD_1(lgamma)
KMUX_OVERLOAD_1(nearbyint)
KMUX_OVERLOAD_1(rint)
KMUX_OVERLOAD_1(round)
KMUX_OVERLOAD_1(rsqrt)
KMUX_OVERLOAD_1(sqrt)
KMUX_OVERLOAD_1(tgamma)
KMUX_OVERLOAD_1(trunc)
KMUX_OVERLOAD_2(copysign)
KMUX_OVERLOAD_2(fdim)
KMUX_OVERLOAD_2(fmax)
KMUX_OVERLOAD_2(fmin)
KMUX_OVERLOAD_3(fma)
extern "C" int abs(int) noexcept;
KMUX_DEVICE float abs(float x) { return fabsf(x); }
KMUX_DEVICE double abs(double x) { return fabs(x); }
KMUX_DEVICE long abs(long x) { return x < 0 ? -x : x; }
KMUX_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
KMUX_DEVICE long labs(long x) { return abs(x); }
KMUX_DEVICE long long llabs(long long x) { return abs(x); }
KMUX_DEVICE bool isnan(float x) { return __builtin_isnan(x); }
KMUX_DEVICE bool isnan(double x) { return __builtin_isnan(x); }
KMUX_DEVICE bool isinf(float x) { return __builtin_isinf(x); }
KMUX_DEVICE bool isinf(double x) { return __builtin_isinf(x); }
KMUX_DEVICE bool isfinite(float x) { return __builtin_isfinite(x); }
KMUX_DEVICE bool isfinite(double x) { return __builtin_isfinite(x); }
template <class A, class B>
KMUX_DEVICE auto min(A a, B b) -> decltype(a + b) {
  return a < b ? a : b;
}
template <class A, class B>
KMUX_DEVICE auto max(A a, B b) -> decltype(a + b) {
  return a < b ? b : a;
}
// CUDA's overloads, which a call prefers to templates of its source, as of CuTe.
#define KMUX_EXTREMES(A, B, R)                                      \
  KMUX_DEVICE R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; } \
  KMUX_DEVICE R max(A a, B b) { return (R)a < (R)b ? (R)b : (R)a; }
#define KMUX_INTEGER_EXTREMES(S, U) \
  KMUX_EXTREMES(S, S, S) KMUX_EXTREMES(U, U, U) KMUX_EXTREMES(S, U, U) KMUX_EXTREMES(U, S, U)
KMUX_INTEGER_EXTREMES(int, unsigned)
KMUX_INTEGER_EXTREMES(long, unsigned long)
KMUX_INTEGER_EXTREMES(long long, unsigned long long)
#undef KMUX_INTEGER_EXTREMES
#undef KMUX_EXTREMES
KMUX_DEVICE float min(float a, float b) { return fminf(a, b); }
KMUX_DEVICE float max(float a, float b) { return fmaxf(a, b); }
KMUX_DEVICE double min(double a, double b) { return fmin(a, b); }
KMUX_DEVICE double max(double a, double b) { return fmax(a, b); }
KMUX_DEVICE double min(float a, double b) { return fmin(a, b); }
KMUX_DEVICE double max(float a, double b) { return fmax(a, b); }
KMUX_DEVICE double min(double a, float b) { return fmin(a, b); }
KMUX_DEVICE double max(double a, float b) { return fmax(a, b); }
KMUX_DEVICE unsigned umin(unsigned a, unsigned b) { return min(a, b); }
KMUX_DEVICE unsigned umax(unsigned a, unsigned b) { return max(a, b); }
KMUX_DEVICE long long llmin(long long a, long long b) { return min(a, b); }
KMUX_DEVICE long long llmax(long long a, long long b) { return max(a, b); }
KMUX_DEVICE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
KMUX_DEVICE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
