// Building blocks of the math functions: selects instead of branches, integers as wide as their floats, and no calls, so
// that the vectorized form computes the same as one thread. Contraction of a * b + c is off, so that all tiers give the same
// bits. KMUX_NO_FLOAT_CONTROL: the target lacks this pragma, and its remaining effect would apply to all code that follows.
#pragma once

#define KMUX_POLY2(x, a, b) kmux_fma(b, x, a)
#define KMUX_POLY3(x, a, ...) kmux_fma(KMUX_POLY2(x, __VA_ARGS__), x, a)
#define KMUX_POLY4(x, a, ...) kmux_fma(KMUX_POLY3(x, __VA_ARGS__), x, a)
#define KMUX_POLY5(x, a, ...) kmux_fma(KMUX_POLY4(x, __VA_ARGS__), x, a)
#define KMUX_POLY6(x, a, ...) kmux_fma(KMUX_POLY5(x, __VA_ARGS__), x, a)
#define KMUX_POLY7(x, a, ...) kmux_fma(KMUX_POLY6(x, __VA_ARGS__), x, a)
#define KMUX_POLY8(x, a, ...) kmux_fma(KMUX_POLY7(x, __VA_ARGS__), x, a)
#define KMUX_POLY9(x, a, ...) kmux_fma(KMUX_POLY8(x, __VA_ARGS__), x, a)
#define KMUX_POLY10(x, a, ...) kmux_fma(KMUX_POLY9(x, __VA_ARGS__), x, a)
#define KMUX_POLY11(x, a, ...) kmux_fma(KMUX_POLY10(x, __VA_ARGS__), x, a)
#define KMUX_POLY12(x, a, ...) kmux_fma(KMUX_POLY11(x, __VA_ARGS__), x, a)
#define KMUX_POLY13(x, a, ...) kmux_fma(KMUX_POLY12(x, __VA_ARGS__), x, a)
#define KMUX_POLY14(x, a, ...) kmux_fma(KMUX_POLY13(x, __VA_ARGS__), x, a)
#define KMUX_POLY15(x, a, ...) kmux_fma(KMUX_POLY14(x, __VA_ARGS__), x, a)
#define KMUX_POLY23(x, a, b, c, d, e, f, g, h, i, j, k, ...) \
  KMUX_POLY12(x, a, b, c, d, e, f, g, h, i, j, k, KMUX_POLY12(x, __VA_ARGS__))

#ifndef KMUX_NO_FLOAT_CONTROL
#pragma float_control(precise, on, push)
#pragma clang fp contract(off)
#endif

// Rounds once if the processor can; a library call would cost more than everything else.
#if defined(__FMA__) || defined(__aarch64__)
KMUX_DEVICE float kmux_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
KMUX_DEVICE double kmux_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
KMUX_DEVICE float kmux_lost(float a, float b, float product) { return __builtin_fmaf(a, b, -product); }
KMUX_DEVICE double kmux_lost(double a, double b, double product) { return __builtin_fma(a, b, -product); }
#else
KMUX_DEVICE float kmux_fma(float a, float b, float c) { return a * b + c; }
KMUX_DEVICE double kmux_fma(double a, double b, double c) { return a * b + c; }
// Splits into halves, whose products are exact (Dekker 1971).
template <class T>
KMUX_DEVICE T kmux_lost_by_halves(T a, T b, T product, T splitter) {
  const T a_wide = a * splitter, b_wide = b * splitter;
  const T a1 = a_wide - (a_wide - a), b1 = b_wide - (b_wide - b);
  const T a2 = a - a1, b2 = b - b1;
  return ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
}
KMUX_DEVICE float kmux_lost(float a, float b, float product) { return kmux_lost_by_halves(a, b, product, 4097.0f); }
KMUX_DEVICE double kmux_lost(double a, double b, double product) {
  return kmux_lost_by_halves(a, b, product, 134217729.0);
}
#endif

template <class T>
struct kmux_number;
template <>
struct kmux_number<float> {
  using whole = int;
  using bits = unsigned;
  static constexpr int digits = 23, bias = 127;
  static constexpr float to_whole = 0x1.8p23f, least = 0x1p-126f, infinity = __builtin_inff();
};
template <>
struct kmux_number<double> {
  using whole = long long;
  using bits = unsigned long long;
  static constexpr int digits = 52, bias = 1023;
  static constexpr double to_whole = 0x1.8p52, least = 0x1p-1022, infinity = __builtin_inf();
};
template <class T>
using kmux_whole = typename kmux_number<T>::whole;

template <class T>
KMUX_DEVICE kmux_whole<T> kmux_bits(T x) {
  return __builtin_bit_cast(kmux_whole<T>, x);
}
KMUX_DEVICE float kmux_of_bits(int bits) { return __builtin_bit_cast(float, bits); }
KMUX_DEVICE double kmux_of_bits(long long bits) { return __builtin_bit_cast(double, bits); }
template <class T>
KMUX_DEVICE T kmux_choose(bool which, T a, T b) {
  return which ? a : b;
}
KMUX_DEVICE float kmux_abs(float x) { return __builtin_fabsf(x); }
KMUX_DEVICE double kmux_abs(double x) { return __builtin_fabs(x); }
KMUX_DEVICE float kmux_signed(float x, float sign) { return __builtin_copysignf(x, sign); }
KMUX_DEVICE double kmux_signed(double x, double sign) { return __builtin_copysign(x, sign); }
KMUX_DEVICE float kmux_root(float x) { return __builtin_sqrtf(x); }
KMUX_DEVICE double kmux_root(double x) { return __builtin_sqrt(x); }

// NaN stays NaN.
template <class T>
KMUX_DEVICE T kmux_clamp(T x, T low, T high) {
  x = kmux_choose(x > high, high, x);
  return kmux_choose(x < low, low, x);
}

// Returns the integer nearest to x, below 2^(digits - 1): its low bits are the low bits of the sum.
template <class T>
KMUX_DEVICE T kmux_nearest(T x, kmux_whole<T>& n) {
  constexpr T kWhole = kmux_number<T>::to_whole;
  const T sum = x + kWhole;
  n = kmux_bits(sum) - __builtin_bit_cast(kmux_whole<T>, kWhole);
  return sum - kWhole;
}

template <class T>
KMUX_DEVICE T kmux_two_to(kmux_whole<T> n) {
  return kmux_of_bits((n + kmux_number<T>::bias) << kmux_number<T>::digits);
}

// x 2^n in two steps: only the last one overflows, or rounds denormals.
template <class T>
KMUX_DEVICE T kmux_scaled(T x, kmux_whole<T> n) {
  const kmux_whole<T> half = n >> 1;
  return x * kmux_two_to<T>(half) * kmux_two_to<T>(n - half);
}

// 2 to an integer power.
template <class T>
struct kmux_power {
  T whole;
  T first, second;  // two factors, each about its square root
};
#ifdef KMUX_SCALES  // threads.h
KMUX_DEVICE float kmux_scale(float x, float n) { return kmux_scale_float(x, n); }
KMUX_DEVICE double kmux_scale(double x, double n) { return kmux_scale_double(x, n); }
template <class T>
KMUX_DEVICE kmux_power<T> kmux_nearest_power(T x, T factor) {
  constexpr T kWhole = kmux_number<T>::to_whole;
  return {kmux_fma(x, factor, kWhole) - kWhole, T(1), T(1)};
}
template <class T>
KMUX_DEVICE T kmux_times(T x, const kmux_power<T>& power) {
  return kmux_scale(x, power.whole);
}
#else
// Returns the power for the integer n nearest to x * factor. The sum contains twice the exponent bias, so its low bits,
// shifted up and halved, are the exponents of the factors: two operations for each.
template <class T>
KMUX_DEVICE kmux_power<T> kmux_nearest_power(T x, T factor) {
  using Bits = typename kmux_number<T>::bits;
  constexpr int kDigits = kmux_number<T>::digits;
  constexpr T kWhole = kmux_number<T>::to_whole + T(2 * kmux_number<T>::bias);
  const T sum = kmux_fma(x, factor, kWhole);
  const Bits bits = static_cast<Bits>(kmux_bits(sum));
  const Bits half = (bits << (kDigits - 1)) & ~((Bits(1) << kDigits) - 1);
  return {sum - kWhole, kmux_of_bits(static_cast<kmux_whole<T>>(half)),
          kmux_of_bits(static_cast<kmux_whole<T>>((bits << kDigits) - half))};
}
// In two steps: only the last one overflows, or rounds denormals.
template <class T>
KMUX_DEVICE T kmux_times(T x, const kmux_power<T>& power) {
  return x * power.first * power.second;
}
#endif

// x = 2^k m with sqrt(1/2) <= m < sqrt(2), for positive numbers.
template <class T>
KMUX_DEVICE T kmux_mantissa(T x, T& k) {
  using Whole = kmux_whole<T>;
  constexpr int kDigits = kmux_number<T>::digits;
  constexpr Whole kRoot = __builtin_bit_cast(Whole, static_cast<T>(0.70710678118654752));
  constexpr T kUp = static_cast<T>(1ll << kDigits);
  const bool is_small = x < kmux_number<T>::least;
  const Whole bits = kmux_bits(kmux_choose(is_small, x * kUp, x)) - kRoot;
  k = static_cast<T>(static_cast<int>(bits >> kDigits)) - kmux_choose(is_small, static_cast<T>(kDigits), T(0));
  return kmux_of_bits((bits & ((Whole(1) << kDigits) - 1)) + kRoot);
}
#ifndef KMUX_NO_FLOAT_CONTROL
#pragma float_control(pop)
#endif

// The overloads for float of functions that share one name in C++, and double for integers.
template <bool>
struct kmux_double_if {};
template <>
struct kmux_double_if<true> {
  using type = double;
};
#define KMUX_OVERLOAD_1(name)                                             \
  KMUX_DEVICE float name(float x) { return name##f(x); }                  \
  template <class T>                                                      \
  KMUX_DEVICE typename kmux_double_if<__is_integral(T)>::type name(T x) { \
    return name(static_cast<double>(x));                                  \
  }
// Two integers, or one float and one double: calls that would be ambiguous in C++.
template <class T, class U>
struct kmux_doubles : kmux_double_if<(__is_integral(T) && __is_integral(U)) ||
                                     (sizeof(T) != sizeof(U) && __is_floating_point(T) && __is_floating_point(U))> {};
#define KMUX_OVERLOAD_2(name)                                        \
  KMUX_DEVICE float name(float x, float y) { return name##f(x, y); } \
  template <class T, class U>                                        \
  KMUX_DEVICE typename kmux_doubles<T, U>::type name(T x, U y) {     \
    return name(static_cast<double>(x), static_cast<double>(y));     \
  }
// Three numbers, at least one but not all of them double.
template <class A, class B, class C>
struct kmux_mixed
    : kmux_double_if<sizeof(A) + sizeof(B) + sizeof(C) != 3 * sizeof(double) &&
                     sizeof(A() + B() + C()) == sizeof(double) && __is_floating_point(decltype(A() + B() + C()))> {};
#define KMUX_OVERLOAD_3(name)                                                            \
  KMUX_DEVICE float name(float x, float y, float z) { return name##f(x, y, z); }         \
  template <class A, class B, class C>                                                   \
  KMUX_DEVICE typename kmux_mixed<A, B, C>::type name(A x, B y, C z) {                   \
    return name(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)); \
  }
