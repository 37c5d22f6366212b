// half and half2: 16-bit floating-point numbers with 11 bits of precision (cuda_fp16.h).
#pragma once
#include <kmux/atomics.h>
#include <kmux/conversions.h>
#include <kmux/exponentials.h>
#include <kmux/logarithms.h>
#include <kmux/turns.h>

// The raw bits of a number and of a pair, as CUDA's headers declare them.
#define KMUX_RAW_BITS(raw, raw2) \
  struct raw {                   \
    unsigned short x;            \
  };                             \
  struct raw2 {                  \
    unsigned short x, y;         \
  };
KMUX_RAW_BITS(__half_raw, __half2_raw)

// Rounds `high` + `low` to odd as a float: toward zero, with the last bit set if inexact. Rounding the result to fewer
// bits then gives the same value as rounding the sum itself.
KMUX_DEVICE float kmux_odd(double high, double low) {
  const float nearest = static_cast<float>(high);
  if (!kmux_is_finite(high)) return nearest;
  const double rest = high - static_cast<double>(nearest);
  const double error = rest != 0 ? rest : low;
  if (error == 0) return nearest;
  const unsigned bits = __builtin_bit_cast(unsigned, nearest);
  const bool is_beyond = (error < 0) != (bits >> 31 != 0);
  return __builtin_bit_cast(float, (is_beyond ? bits - 1 : bits) | 1);
}
KMUX_DEVICE float kmux_odd(float a, float b) {
  const float sum = a + b;
  const float error = kmux_error_of_sum(a, b, sum);
  if (!kmux_is_finite(sum) || error == 0) return sum;
  const unsigned bits = __builtin_bit_cast(unsigned, sum);
  const bool is_beyond = (error < 0) != (bits >> 31 != 0);
  return __builtin_bit_cast(float, (is_beyond ? bits - 1 : bits) | 1);
}
KMUX_DEVICE float kmux_odd(long long value) {
  const double high = __ll2double_rz(value);
  const bool is_whole = __double2ll_rz(high) == value;
  return kmux_odd(high, is_whole ? 0 : value < 0 ? -1.0 : 1.0);
}
KMUX_DEVICE float kmux_odd(unsigned long long value) {
  const double high = __ull2double_rz(value);
  return kmux_odd(high, __double2ull_rz(high) == value ? 0.0 : 1.0);
}
// Truncates to an integer, in a smaller type; as in conversions.h.
KMUX_DEVICE int kmux_as_integer(float x, int) { return __float2int_rz(x); }
KMUX_DEVICE unsigned kmux_as_integer(float x, unsigned) { return __float2uint_rz(x); }
KMUX_DEVICE long long kmux_as_integer(float x, long long) { return __float2ll_rz(x); }
KMUX_DEVICE unsigned long long kmux_as_integer(float x, unsigned long long) { return __float2ull_rz(x); }
KMUX_DEVICE short kmux_as_integer(float x, short) { return static_cast<short>(x); }
KMUX_DEVICE unsigned short kmux_as_integer(float x, unsigned short) { return static_cast<unsigned short>(x); }

#define KMUX_NUMBER_MEMBERS(T)                                                                                      \
  T() = default;                                                                                                    \
  KMUX_MEMBER T(double x) : T(kmux_odd(x, 0.0)) {}                                                                  \
  KMUX_MEMBER T(short x) : T(static_cast<float>(x)) {}                                                              \
  KMUX_MEMBER T(unsigned short x) : T(static_cast<float>(x)) {}                                                     \
  KMUX_MEMBER T(int x) : T(kmux_odd(static_cast<double>(x), 0.0)) {}                                                \
  KMUX_MEMBER T(unsigned x) : T(kmux_odd(static_cast<double>(x), 0.0)) {}                                           \
  KMUX_MEMBER T(long x) : T(kmux_odd(static_cast<long long>(x))) {}                                                 \
  KMUX_MEMBER T(unsigned long x) : T(kmux_odd(static_cast<unsigned long long>(x))) {}                               \
  KMUX_MEMBER T(long long x) : T(kmux_odd(x)) {}                                                                    \
  KMUX_MEMBER T(unsigned long long x) : T(kmux_odd(x)) {}                                                           \
  /* From the numbers of other libraries, as of CUTLASS, which convert to float. */                                 \
  template <class U, class = char[__is_class(U) && !__is_same(U, T) && __is_convertible(const U&, float) ? 1 : -1]> \
  KMUX_MEMBER T& operator=(const U& x) {                                                                            \
    return *this = T(static_cast<float>(x));                                                                        \
  }
// The pair type of a T, and reinterpretation of both as bits.
#define KMUX_PAIR(T, T2, raw, raw2)                                            \
  struct __attribute__((aligned(4))) T2 {                                      \
    T x, y;                                                                    \
    T2() = default;                                                            \
    KMUX_MEMBER constexpr T2(T x, T y) : x(x), y(y) {}                         \
    KMUX_MEMBER T2(raw2 bits) : x(raw{bits.x}), y(raw{bits.y}) {}              \
    KMUX_MEMBER operator raw2() const { return {x.kmux_bits_, y.kmux_bits_}; } \
  };                                                                           \
  KMUX_DEVICE unsigned short kmux_bits(T a) { return a.kmux_bits_; }           \
  KMUX_DEVICE T kmux_of_bits(unsigned short bits, T) { return raw{bits}; }
#define KMUX_MEMBER __attribute__((always_inline))

// Holds bits, since a pair of _Float16 would be passed as a vector, which is not a scalar of a thread.
struct __half {
  KMUX_NUMBER_MEMBERS(__half)
  KMUX_MEMBER __half(float x) : kmux_bits_(__builtin_bit_cast(unsigned short, static_cast<_Float16>(x))) {}
  KMUX_MEMBER __half(__half_raw raw) : kmux_bits_(raw.x) {}
  KMUX_MEMBER operator float() const { return static_cast<float>(__builtin_bit_cast(_Float16, kmux_bits_)); }
  KMUX_MEMBER operator __half_raw() const { return {kmux_bits_}; }
  unsigned short kmux_bits_;
};
KMUX_PAIR(__half, __half2, __half_raw, __half2_raw)
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

// The product is exact in float.
KMUX_DEVICE __half __hfma(__half a, __half b, __half c) {
  const float product = __fmul_rn(static_cast<float>(a), static_cast<float>(b));
  return kmux_odd(product, static_cast<float>(c));
}

#define KMUX_T __half
#define KMUX_T2 __half2
#define KMUX_NAME(before, after) before##half##after
#include <kmux/sixteen.h>
#undef KMUX_T
#undef KMUX_T2
#undef KMUX_NAME
KMUX_DEVICE __half2 __half2half2(__half a) { return {a, a}; }
#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
