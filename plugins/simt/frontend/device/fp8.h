// 8-bit floating-point numbers (cuda_fp8.h): E4M3, without infinities, and E5M2.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

// Rounds to nearest. Overflow yields the largest number, or infinity, or NaN where the format has no infinity.
KMUX_DEVICE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t kind) {
  const bool is_e4m3 = kind == __NV_E4M3;
  const unsigned digits = is_e4m3 ? 3 : 2, bias = is_e4m3 ? 7 : 15;
  const unsigned largest = is_e4m3 ? 0x7e : 0x7b, beyond = is_e4m3 ? 0x7f : 0x7c;
  const unsigned bits = __builtin_bit_cast(unsigned, x), sign = bits >> 31 << 7, magnitude = bits & 0x7fffffff;
  const unsigned shift = 23 - digits;
  const unsigned rounded = (magnitude + (1u << (shift - 1)) - 1 + ((magnitude >> shift) & 1)) >> shift;
  const float units = __builtin_bit_cast(float, magnitude) * (is_e4m3 ? 0x1p9f : 0x1p16f);  // unit: the smallest number
  const bool is_small = magnitude < ((128 - bias) << 23);
  unsigned code =
      is_small ? static_cast<unsigned>(__builtin_elementwise_roundeven(units)) : rounded - ((127 - bias) << digits);
  if (!is_small && code > largest) code = saturate == __NV_SATFINITE ? largest : beyond;
  return static_cast<__nv_fp8_storage_t>(x != x ? 0x7f : sign | code);
}
KMUX_DEVICE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(kmux_odd(x, 0.0), saturate, kind);
}
KMUX_DEVICE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__half(x), saturate, kind);
}
KMUX_DEVICE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__nv_bfloat16(x), saturate, kind);
}
KMUX_DEVICE __nv_fp8x2_storage_t kmux_two(unsigned low, unsigned high) {
  return static_cast<__nv_fp8x2_storage_t>(low | (high << 8));
}
#define KMUX_TWO(name, type, one)                                                                             \
  KMUX_DEVICE __nv_fp8x2_storage_t name(type x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) { \
    return kmux_two(one(x.x, saturate, kind), one(x.y, saturate, kind));                                      \
  }
KMUX_DEVICE __nv_fp8_storage_t kmux_half_bits_to_fp8(unsigned short x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t kind) {
  return __nv_cvt_halfraw_to_fp8({x}, saturate, kind);
}
KMUX_DEVICE __nv_fp8_storage_t kmux_bfloat_bits_to_fp8(unsigned short x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind) {
  return __nv_cvt_bfloat16raw_to_fp8({x}, saturate, kind);
}
KMUX_TWO(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8)
KMUX_TWO(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8)
KMUX_TWO(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, kmux_half_bits_to_fp8)
KMUX_TWO(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, kmux_bfloat_bits_to_fp8)
#undef KMUX_TWO

// A half represents every value of fp8.
KMUX_DEVICE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  if (kind == __NV_E5M2) return {static_cast<unsigned short>((x & 0x7f) > 0x7c ? 0x7fff : x << 8)};
  const unsigned magnitude = x & 0x7f;
  const float small = static_cast<float>(magnitude) * 0x1p-9f;
  const float number = magnitude < 8 ? small : __builtin_bit_cast(float, (magnitude << 20) + ((127 - 7) << 23));
  const unsigned short bits = kmux_bits(__half(number));
  return {static_cast<unsigned short>(magnitude == 0x7f ? 0x7fff : bits | ((x & 0x80) << 8))};
}
KMUX_DEVICE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), kind).x,
          __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), kind).x};
}

// Saturates; NaN is 0.
template <class Integer>
KMUX_DEVICE Integer kmux_fp8_as(float x) {
  constexpr bool is_signed = static_cast<Integer>(-1) < 0;
  constexpr int bits = 8 * sizeof(Integer), most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  constexpr int least = is_signed ? -most - 1 : 0;
  const int whole = __float2int_rz(x);
  return static_cast<Integer>(whole > most ? most : whole < least ? least : whole);
}
KMUX_DEVICE __nv_fp8x4_storage_t kmux_four(unsigned low, unsigned high) { return low | (high << 16); }

// Integers beyond 24 bits saturate, so that their rounding to a float has no effect.
#define KMUX_FP8_OF(name, type) \
  KMUX_MEMBER explicit __nv_fp8_##name(type x) : __nv_fp8_##name(static_cast<float>(x)) {}
#define KMUX_FP8_TO(type, function) \
  KMUX_MEMBER explicit operator type() const { return function(static_cast<float>(*this)); }
#define KMUX_FP8X4_OF(name, kind, vector, part, convert)                                                               \
  KMUX_MEMBER explicit __nv_fp8x4_##name(vector x)                                                                     \
      : __x(kmux_four(convert(part{x.x, x.y}, __NV_SATFINITE, kind), convert(part{x.z, x.w}, __NV_SATFINITE, kind))) { \
  }
#define KMUX_FP8X4_OF_PAIRS(name, kind, pair, convert)        \
  KMUX_MEMBER explicit __nv_fp8x4_##name(pair low, pair high) \
      : __x(kmux_four(convert(low, __NV_SATFINITE, kind), convert(high, __NV_SATFINITE, kind))) {}

#define KMUX_FP8(name, kind)                                                                                        \
  struct __nv_fp8_##name {                                                                                          \
    __nv_fp8_storage_t __x;                                                                                         \
    __nv_fp8_##name() = default;                                                                                    \
    KMUX_MEMBER explicit __nv_fp8_##name(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, kind)) {}          \
    KMUX_MEMBER explicit __nv_fp8_##name(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind)) {}        \
    KMUX_FP8_OF(name, __half)                                                                                       \
    KMUX_FP8_OF(name, __nv_bfloat16)                                                                                \
    KMUX_FP8_OF(name, short)                                                                                        \
    KMUX_FP8_OF(name, unsigned short)                                                                               \
    KMUX_FP8_OF(name, int)                                                                                          \
    KMUX_FP8_OF(name, unsigned)                                                                                     \
    KMUX_FP8_OF(name, long)                                                                                         \
    KMUX_FP8_OF(name, unsigned long)                                                                                \
    KMUX_FP8_OF(name, long long)                                                                                    \
    KMUX_FP8_OF(name, unsigned long long)                                                                           \
    KMUX_MEMBER explicit operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, kind); }                     \
    KMUX_MEMBER explicit operator float() const { return static_cast<__half>(*this); }                              \
    KMUX_FP8_TO(double, static_cast<double>)                                                                        \
    KMUX_FP8_TO(__nv_bfloat16, static_cast<__nv_bfloat16>)                                                          \
    KMUX_FP8_TO(char, kmux_fp8_as<char>)                                                                            \
    KMUX_FP8_TO(signed char, kmux_fp8_as<signed char>)                                                              \
    KMUX_FP8_TO(unsigned char, kmux_fp8_as<unsigned char>)                                                          \
    KMUX_FP8_TO(short, kmux_fp8_as<short>)                                                                          \
    KMUX_FP8_TO(unsigned short, kmux_fp8_as<unsigned short>)                                                        \
    KMUX_FP8_TO(int, __float2int_rz)                                                                                \
    KMUX_FP8_TO(unsigned, __float2uint_rz)                                                                          \
    KMUX_FP8_TO(long, __float2ll_rz)                                                                                \
    KMUX_FP8_TO(unsigned long, __float2ull_rz)                                                                      \
    KMUX_FP8_TO(long long, __float2ll_rz)                                                                           \
    KMUX_FP8_TO(unsigned long long, __float2ull_rz)                                                                 \
    KMUX_MEMBER explicit operator bool() const { return (__x & 0x7f) != 0; }                                        \
  };                                                                                                                \
  struct __attribute__((aligned(2))) __nv_fp8x2_##name {                                                            \
    __nv_fp8x2_storage_t __x;                                                                                       \
    __nv_fp8x2_##name() = default;                                                                                  \
    KMUX_MEMBER explicit __nv_fp8x2_##name(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, kind)) {}    \
    KMUX_MEMBER explicit __nv_fp8x2_##name(double2 x) : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, kind)) {}  \
    KMUX_MEMBER explicit __nv_fp8x2_##name(__half2 x) : __x(__nv_cvt_halfraw2_to_fp8x2(x, __NV_SATFINITE, kind)) {} \
    KMUX_MEMBER explicit __nv_fp8x2_##name(__nv_bfloat162 x)                                                        \
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2(x, __NV_SATFINITE, kind)) {}                                           \
    KMUX_MEMBER explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, kind); }                 \
    KMUX_MEMBER explicit operator float2() const { return __half22float2(static_cast<__half2>(*this)); }            \
  };                                                                                                                \
  struct __attribute__((aligned(4))) __nv_fp8x4_##name {                                                            \
    __nv_fp8x4_storage_t __x;                                                                                       \
    __nv_fp8x4_##name() = default;                                                                                  \
    KMUX_FP8X4_OF(name, kind, float4, float2, __nv_cvt_float2_to_fp8x2)                                             \
    KMUX_FP8X4_OF(name, kind, double4, double2, __nv_cvt_double2_to_fp8x2)                                          \
    KMUX_FP8X4_OF(name, kind, double4_16a, double2, __nv_cvt_double2_to_fp8x2)                                      \
    KMUX_FP8X4_OF(name, kind, double4_32a, double2, __nv_cvt_double2_to_fp8x2)                                      \
    KMUX_FP8X4_OF_PAIRS(name, kind, __half2, __nv_cvt_halfraw2_to_fp8x2)                                            \
    KMUX_FP8X4_OF_PAIRS(name, kind, __nv_bfloat162, __nv_cvt_bfloat16raw2_to_fp8x2)                                 \
    KMUX_MEMBER explicit operator float4() const {                                                                  \
      const float2 low = __half22float2(__nv_cvt_fp8x2_to_halfraw2(static_cast<unsigned short>(__x), kind));        \
      const float2 high = __half22float2(__nv_cvt_fp8x2_to_halfraw2(static_cast<unsigned short>(__x >> 16), kind)); \
      return {low.x, low.y, high.x, high.y};                                                                        \
    }                                                                                                               \
  };
KMUX_FP8(e4m3, __NV_E4M3)
KMUX_FP8(e5m2, __NV_E5M2)
#undef KMUX_FP8
#undef KMUX_FP8X4_OF_PAIRS
#undef KMUX_FP8X4_OF
#undef KMUX_FP8_TO
#undef KMUX_FP8_OF

#include <kmux/scales.h>
