// The fields of a floating-point number (sign, exponent, fraction), and rounding to integers. Special values follow the
// CUDA Math API.
#pragma once

#ifndef KMUX_NO_FLOAT_CONTROL
#pragma float_control(precise, on, push)
#pragma clang fp contract(off)
#endif

template <bool, class R>
struct kmux_if {};
template <class R>
struct kmux_if<true, R> {
  using type = R;
};
// Overloads for the types that share one name in C++; integers convert to double.
#define KMUX_OF_NUMBER(result, name)                                       \
  KMUX_DEVICE result name(float x) { return name##f(x); }                  \
  template <class T>                                                       \
  KMUX_DEVICE typename kmux_if<__is_integral(T), result>::type name(T x) { \
    return name(static_cast<double>(x));                                   \
  }
#define KMUX_ROUNDED(result, name, rounded)                                       \
  KMUX_DEVICE result name##f(float x) { return static_cast<result>(rounded(x)); } \
  KMUX_DEVICE result name(double x) { return static_cast<result>(rounded(x)); }   \
  KMUX_OF_NUMBER(result, name)
KMUX_ROUNDED(long, lrint, __builtin_elementwise_roundeven)
KMUX_ROUNDED(long long, llrint, __builtin_elementwise_roundeven)
KMUX_ROUNDED(long, lround, __builtin_elementwise_round)  // a half away from zero
KMUX_ROUNDED(long long, llround, __builtin_elementwise_round)
#undef KMUX_ROUNDED

KMUX_DEVICE bool signbit(float x) { return kmux_bits(x) < 0; }
KMUX_DEVICE bool signbit(double x) { return kmux_bits(x) < 0; }
template <class T>
KMUX_DEVICE bool kmux_is_normal(T x) {
  const T a = kmux_abs(x);
  return (a >= kmux_number<T>::least) & (a < kmux_number<T>::infinity);
}
KMUX_DEVICE bool isnormal(float x) { return kmux_is_normal(x); }
KMUX_DEVICE bool isnormal(double x) { return kmux_is_normal(x); }
KMUX_DEVICE float nanf(const char*) { return __builtin_nanf(""); }
KMUX_DEVICE double nan(const char*) { return __builtin_nan(""); }

// x = fraction * 2^exponent with 1/2 <= fraction < 1. Returns x itself with exponent 0 for zero, infinities and NaN.
template <class T>
KMUX_DEVICE T kmux_frexp(T x, int* exponent) {
  using Number = kmux_number<T>;
  using Whole = kmux_whole<T>;
  constexpr Whole kExponent = Whole(2 * Number::bias + 1);
  const T a = kmux_abs(x);
  const bool is_small = a < Number::least;
  const bool has_none = !((a > T(0)) & (a < Number::infinity));
  const Whole bits = kmux_bits(kmux_choose(is_small, x * static_cast<T>(1ll << Number::digits), x));
  const int power = static_cast<int>((bits >> Number::digits) & kExponent) - (Number::bias - 1);
  *exponent = kmux_choose(has_none, 0, power - kmux_choose(is_small, Number::digits, 0));
  const Whole half = (bits & ~(kExponent << Number::digits)) | (Whole(Number::bias - 1) << Number::digits);
  return kmux_choose(has_none, x + x, kmux_of_bits(half));
}
KMUX_DEVICE float frexpf(float x, int* exponent) { return kmux_frexp(x, exponent); }
KMUX_DEVICE double frexp(double x, int* exponent) { return kmux_frexp(x, exponent); }
KMUX_DEVICE float frexp(float x, int* exponent) { return kmux_frexp(x, exponent); }

// Returns x 2^n, rounded once.
template <class T>
KMUX_DEVICE T kmux_ldexp(T x, long long n) {
  constexpr int kMost = 4 * kmux_number<T>::bias;  // exceeds the exponent difference of any two numbers
  const int power = static_cast<int>(n > kMost ? kMost : n < -kMost ? -kMost : n);
#ifdef KMUX_SCALES
  return kmux_scale(x, static_cast<T>(power));
#else
  constexpr int kSteps = 2 * kmux_number<T>::bias - 2;  // the range of kmux_scaled
  int own;
  const T fraction = kmux_frexp(x, &own);
  const int sum = own + power;
  return kmux_scaled(fraction, static_cast<kmux_whole<T>>(sum > kSteps ? kSteps : sum < -kSteps ? -kSteps : sum));
#endif
}
#define KMUX_SCALED(name, type)                                           \
  KMUX_DEVICE float name##f(float x, type n) { return kmux_ldexp(x, n); } \
  KMUX_DEVICE double name(double x, type n) { return kmux_ldexp(x, n); }  \
  KMUX_DEVICE float name(float x, type n) { return kmux_ldexp(x, n); }
KMUX_SCALED(ldexp, int)
KMUX_SCALED(scalbn, int)
KMUX_SCALED(scalbln, long)
#undef KMUX_SCALED

template <class T>
KMUX_DEVICE T kmux_logb(T x) {
  int exponent;
  kmux_frexp(x, &exponent);
  const T a = kmux_abs(x);
  const T power = kmux_choose(a < kmux_number<T>::infinity, static_cast<T>(exponent - 1), a);
  return kmux_choose(a == T(0), -kmux_number<T>::infinity, power);
}
KMUX_DEVICE float logbf(float x) { return kmux_logb(x); }
KMUX_DEVICE double logb(double x) { return kmux_logb(x); }
KMUX_OF_NUMBER(double, logb)
template <class T>
KMUX_DEVICE int kmux_ilogb(T x) {
  int exponent;
  kmux_frexp(x, &exponent);
  const T a = kmux_abs(x);
  const int special = kmux_choose(a == kmux_number<T>::infinity, __INT_MAX__, -__INT_MAX__ - 1);
  return kmux_choose((a > T(0)) & (a < kmux_number<T>::infinity), exponent - 1, special);
}
KMUX_DEVICE int ilogbf(float x) { return kmux_ilogb(x); }
KMUX_DEVICE int ilogb(double x) { return kmux_ilogb(x); }
KMUX_OF_NUMBER(int, ilogb)
#undef KMUX_OF_NUMBER

// Both parts keep the sign of x.
template <class T>
KMUX_DEVICE T kmux_modf(T x, T* whole) {
  *whole = __builtin_elementwise_trunc(x);
  const T fraction = kmux_choose(kmux_abs(x) == kmux_number<T>::infinity, T(0), x - *whole);
  return kmux_signed(fraction, x);
}
KMUX_DEVICE float modff(float x, float* whole) { return kmux_modf(x, whole); }
KMUX_DEVICE double modf(double x, double* whole) { return kmux_modf(x, whole); }
KMUX_DEVICE float modf(float x, float* whole) { return kmux_modf(x, whole); }
#ifndef KMUX_NO_FLOAT_CONTROL
#pragma float_control(pop)
#endif
