// Mathematics, by the names of C, with overloads for float and for integers: what the compiler itself can do is done here, the
// rest by AMD's device library. The parts of numbers are in plugins/simt/frontend/device/math_fields.h.
#pragma once

// name(double) and namef(float), by the compiler or by the device library, which may have another name.
#define KMUX_OWN_OF(type, name, builtin) \
  KMUX_DEVICE type name(type x) { return builtin(x); }
#define KMUX_LIBRARY_OF(type, name, library)         \
  extern "C" __device__ type __ocml_##library(type); \
  KMUX_OWN_OF(type, name, __ocml_##library)
#define KMUX_OWN(name)                             \
  KMUX_OWN_OF(double, name, __builtin_##name)      \
  KMUX_OWN_OF(float, name##f, __builtin_##name##f) \
  KMUX_OVERLOAD_1(name)
#define KMUX_HALF_OWN(name)                        \
  KMUX_LIBRARY_OF(double, name, name##_f64)        \
  KMUX_OWN_OF(float, name##f, __builtin_##name##f) \
  KMUX_OVERLOAD_1(name)
#define KMUX_LIBRARY_AS(name, library)           \
  KMUX_LIBRARY_OF(double, name, library##_f64)   \
  KMUX_LIBRARY_OF(float, name##f, library##_f32) \
  KMUX_OVERLOAD_1(name)
#define KMUX_LIBRARY(name) KMUX_LIBRARY_AS(name, name)
// clang-format off
KMUX_OWN(fabs) KMUX_OWN(floor) KMUX_OWN(ceil) KMUX_OWN(trunc) KMUX_OWN(rint) KMUX_OWN(nearbyint) KMUX_OWN(round) KMUX_OWN(sqrt)
KMUX_HALF_OWN(exp) KMUX_HALF_OWN(exp2) KMUX_HALF_OWN(log) KMUX_HALF_OWN(log2) KMUX_HALF_OWN(log10)
KMUX_LIBRARY(sin) KMUX_LIBRARY(cos) KMUX_LIBRARY(tan) KMUX_LIBRARY(sinpi) KMUX_LIBRARY(cospi)
KMUX_LIBRARY(asin) KMUX_LIBRARY(acos) KMUX_LIBRARY(atan) KMUX_LIBRARY(sinh) KMUX_LIBRARY(cosh) KMUX_LIBRARY(tanh)
KMUX_LIBRARY(asinh) KMUX_LIBRARY(acosh) KMUX_LIBRARY(atanh) KMUX_LIBRARY(erf) KMUX_LIBRARY(erfc) KMUX_LIBRARY(exp10)
KMUX_LIBRARY(expm1) KMUX_LIBRARY(log1p) KMUX_LIBRARY(cbrt) KMUX_LIBRARY(rcbrt) KMUX_LIBRARY(rsqrt)
KMUX_LIBRARY(lgamma) KMUX_LIBRARY(tgamma) KMUX_LIBRARY(j0) KMUX_LIBRARY(j1) KMUX_LIBRARY(y0) KMUX_LIBRARY(y1)
KMUX_LIBRARY_AS(normcdf, ncdf)
// clang-format on
#undef KMUX_OWN
#undef KMUX_HALF_OWN
#undef KMUX_LIBRARY
#undef KMUX_LIBRARY_AS
#undef KMUX_OWN_OF
#undef KMUX_LIBRARY_OF
#define KMUX_BESSEL KMUX_REFUSED("AMD's device library has j0, j1, y0 and y1 alone")
                                KMUX_BESSEL double jn(int n, double x);
KMUX_BESSEL float jnf(int n, float x);
KMUX_BESSEL double yn(int n, double x);
KMUX_BESSEL float ynf(int n, float x);
#undef KMUX_BESSEL

#define KMUX_OWN_OF(type, name, builtin) \
  KMUX_DEVICE type name(type x, type y) { return builtin(x, y); }
#define KMUX_OWN(name)                             \
  KMUX_OWN_OF(double, name, __builtin_##name)      \
  KMUX_OWN_OF(float, name##f, __builtin_##name##f) \
  KMUX_OVERLOAD_2(name)
#define KMUX_LIBRARY_OF(type, name, library)               \
  extern "C" __device__ type __ocml_##library(type, type); \
  KMUX_OWN_OF(type, name, __ocml_##library)
#define KMUX_LIBRARY(name)                    \
  KMUX_LIBRARY_OF(double, name, name##_f64)   \
  KMUX_LIBRARY_OF(float, name##f, name##_f32) \
  KMUX_OVERLOAD_2(name)
KMUX_OWN(fmin)
KMUX_OWN(fmax)
KMUX_OWN(copysign)
KMUX_LIBRARY(pow)
KMUX_LIBRARY(atan2)
KMUX_LIBRARY(fdim)
KMUX_LIBRARY(fmod)
KMUX_LIBRARY(hypot)
KMUX_LIBRARY(nextafter)
KMUX_LIBRARY(remainder)
KMUX_LIBRARY(rhypot)
#undef KMUX_OWN
#undef KMUX_LIBRARY
#undef KMUX_LIBRARY_OF
#undef KMUX_OWN_OF

KMUX_DEVICE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
KMUX_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
KMUX_OVERLOAD_3(fma)

// Of three and four coordinates, of angles in turns and in radians, and the quotient beside its remainder.
#define KMUX_FLOATS(type, f, suffix)                                                                        \
  extern "C" __device__ type __ocml_len3_##suffix(type, type, type);                                        \
  extern "C" __device__ type __ocml_len4_##suffix(type, type, type, type);                                  \
  extern "C" __device__ type __ocml_rlen3_##suffix(type, type, type);                                       \
  extern "C" __device__ type __ocml_rlen4_##suffix(type, type, type, type);                                 \
  extern "C" __device__ type __ocml_remquo_##suffix(type, type, __attribute__((address_space(5))) int*);    \
  KMUX_DEVICE type norm3d##f(type x, type y, type z) { return __ocml_len3_##suffix(x, y, z); }              \
  KMUX_DEVICE type norm4d##f(type x, type y, type z, type w) { return __ocml_len4_##suffix(x, y, z, w); }   \
  KMUX_DEVICE type rnorm3d##f(type x, type y, type z) { return __ocml_rlen3_##suffix(x, y, z); }            \
  KMUX_DEVICE type rnorm4d##f(type x, type y, type z, type w) { return __ocml_rlen4_##suffix(x, y, z, w); } \
  KMUX_DEVICE void sincos##f(type x, type* sine, type* cosine) { *sine = sin(x), *cosine = cos(x); }        \
  KMUX_DEVICE void sincospi##f(type x, type* sine, type* cosine) { *sine = sinpi(x), *cosine = cospi(x); }  \
  KMUX_DEVICE type remquo##f(type x, type y, int* quotient) {                                               \
    int own;                                                                                                \
    const type rest = __ocml_remquo_##suffix(x, y, (__attribute__((address_space(5))) int*)&own);           \
    *quotient = own;                                                                                        \
    return rest;                                                                                            \
  }
KMUX_FLOATS(float, f, f32)
KMUX_FLOATS(double, , f64)
#undef KMUX_FLOATS
KMUX_DEVICE void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
KMUX_DEVICE float remquo(float x, float y, int* quotient) { return remquof(x, y, quotient); }

KMUX_DEVICE int abs(int x) { return __builtin_abs(x); }
KMUX_DEVICE long abs(long x) { return __builtin_labs(x); }
KMUX_DEVICE long long abs(long long x) { return __builtin_llabs(x); }
KMUX_DEVICE float abs(float x) { return __builtin_fabsf(x); }
KMUX_DEVICE double abs(double x) { return __builtin_fabs(x); }
KMUX_DEVICE long labs(long x) { return __builtin_labs(x); }
KMUX_DEVICE long long llabs(long long x) { return __builtin_llabs(x); }
#define KMUX_TESTED(name)                                        \
  KMUX_DEVICE bool name(float x) { return __builtin_##name(x); } \
  KMUX_DEVICE bool name(double x) { return __builtin_##name(x); }
KMUX_TESTED(isnan)
KMUX_TESTED(isinf)
KMUX_TESTED(isfinite)
#undef KMUX_TESTED

#define KMUX_EXTREMES(type)                                      \
  KMUX_DEVICE type min(type x, type y) { return x < y ? x : y; } \
  KMUX_DEVICE type max(type x, type y) { return x < y ? y : x; }
KMUX_EXTREMES(int)
KMUX_EXTREMES(unsigned)
KMUX_EXTREMES(long)
KMUX_EXTREMES(unsigned long)
KMUX_EXTREMES(long long)
KMUX_EXTREMES(unsigned long long)
#undef KMUX_EXTREMES
KMUX_DEVICE float min(float x, float y) { return __builtin_fminf(x, y); }
KMUX_DEVICE float max(float x, float y) { return __builtin_fmaxf(x, y); }
KMUX_DEVICE double min(double x, double y) { return __builtin_fmin(x, y); }
KMUX_DEVICE double max(double x, double y) { return __builtin_fmax(x, y); }
// Of two types: those of the type that both are converted to.
template <bool, class T>
struct kmux_number_if {};
template <class T>
struct kmux_number_if<true, T> {
  using type = T;
};
template <class A, class B, class T = decltype(A() + B())>
using kmux_joined = typename kmux_number_if<__is_arithmetic(A) && __is_arithmetic(B) && sizeof(T) <= 8, T>::type;
template <class A, class B>
KMUX_DEVICE kmux_joined<A, B> min(A x, B y) {
  using T = kmux_joined<A, B>;
  return min(static_cast<T>(x), static_cast<T>(y));
}
template <class A, class B>
KMUX_DEVICE kmux_joined<A, B> max(A x, B y) {
  using T = kmux_joined<A, B>;
  return max(static_cast<T>(x), static_cast<T>(y));
}
KMUX_DEVICE unsigned umin(unsigned x, unsigned y) { return min(x, y); }
KMUX_DEVICE unsigned umax(unsigned x, unsigned y) { return max(x, y); }
KMUX_DEVICE long long llmin(long long x, long long y) { return min(x, y); }
KMUX_DEVICE long long llmax(long long x, long long y) { return max(x, y); }
KMUX_DEVICE unsigned long long ullmin(unsigned long long x, unsigned long long y) { return min(x, y); }
KMUX_DEVICE unsigned long long ullmax(unsigned long long x, unsigned long long y) { return max(x, y); }

// CUDA's fast forms of float: instructions of the device, which take angles in turns.
KMUX_DEVICE float __sinf(float x) { return __builtin_amdgcn_sinf(__builtin_amdgcn_fractf(x * 0.159154943f)); }
KMUX_DEVICE float __cosf(float x) { return __builtin_amdgcn_cosf(__builtin_amdgcn_fractf(x * 0.159154943f)); }
KMUX_DEVICE float __tanf(float x) { return __sinf(x) / __cosf(x); }
KMUX_DEVICE void __sincosf(float x, float* sine, float* cosine) { *sine = __sinf(x), *cosine = __cosf(x); }
KMUX_DEVICE float __expf(float x) { return __builtin_expf(x); }
KMUX_DEVICE float __exp10f(float x) { return __builtin_exp2f(x * 3.32192809f); }
KMUX_DEVICE float __powf(float x, float y) { return __builtin_exp2f(y * __builtin_log2f(x)); }
KMUX_DEVICE float __logf(float x) { return __builtin_logf(x); }
KMUX_DEVICE float __log2f(float x) { return __builtin_log2f(x); }
KMUX_DEVICE float __log10f(float x) { return __builtin_log10f(x); }
