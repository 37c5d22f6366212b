// SPDX-License-Identifier: Apache-2.0
// Numbers of 4 bits (cuda_fp4.h): E2M1, which has 0, 0.5, 1, 1.5, 2, 3, 4 and 6 with either sign, and neither infinity nor NaN.
#pragma once
#include <cuda_fp8.h>

typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 };
typedef __nv_fp8_storage_t __nv_fp6_storage_t;
enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 };

// Rounds to nearest, ties to even, or to zero. Overflow yields 6 with the sign, NaN yields 6.
template <class Number>
KMUX_DEVICE __nv_fp4_storage_t kmux_fp4(Number x, cudaRoundMode rounding) {
  if (rounding != cudaRoundNearest && rounding != cudaRoundZero) __builtin_trap();  // undefined in CUDA
  if (x != x) return 7;
  const Number size = __builtin_elementwise_abs(x);
  const unsigned nearest = (size > Number(0.25)) + (size >= Number(0.75)) + (size > Number(1.25)) +
                           (size >= Number(1.75)) + (size > Number(2.5)) + (size >= Number(3.5)) + (size > Number(5));
  const unsigned below = (size >= Number(0.5)) + (size >= Number(1)) + (size >= Number(1.5)) + (size >= Number(2)) +
                         (size >= Number(3)) + (size >= Number(4)) + (size >= Number(6));
  const unsigned code = rounding == cudaRoundZero ? below : nearest;
  return static_cast<__nv_fp4_storage_t>(code | (__builtin_signbit(x) ? 8 : 0));
}
KMUX_DEVICE __nv_fp4x2_storage_t kmux_nibbles(unsigned low, unsigned high) {
  return static_cast<__nv_fp4x2_storage_t>(low | (high << 4));
}
KMUX_DEVICE __nv_fp4_storage_t __nv_cvt_float_to_fp4(float x, __nv_fp4_interpretation_t, cudaRoundMode rounding) {
  return kmux_fp4(x, rounding);
}
KMUX_DEVICE __nv_fp4_storage_t __nv_cvt_double_to_fp4(double x, __nv_fp4_interpretation_t, cudaRoundMode rounding) {
  return kmux_fp4(x, rounding);
}
KMUX_DEVICE __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(__half_raw x, __nv_fp4_interpretation_t,
                                                       cudaRoundMode rounding) {
  return kmux_fp4(static_cast<float>(__half(x)), rounding);
}
KMUX_DEVICE __nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(__nv_bfloat16_raw x, __nv_fp4_interpretation_t,
                                                           cudaRoundMode rounding) {
  return kmux_fp4(static_cast<float>(__nv_bfloat16(x)), rounding);
}
#define KMUX_NIBBLES(name, pair, one, part)                                                               \
  KMUX_DEVICE __nv_fp4x2_storage_t name(pair x, __nv_fp4_interpretation_t kind, cudaRoundMode rounding) { \
    return kmux_nibbles(one(part{x.x}, kind, rounding), one(part{x.y}, kind, rounding));                  \
  }
KMUX_NIBBLES(__nv_cvt_float2_to_fp4x2, float2, __nv_cvt_float_to_fp4, float)
KMUX_NIBBLES(__nv_cvt_double2_to_fp4x2, double2, __nv_cvt_double_to_fp4, double)
KMUX_NIBBLES(__nv_cvt_halfraw2_to_fp4x2, __half2_raw, __nv_cvt_halfraw_to_fp4, __half_raw)
KMUX_NIBBLES(__nv_cvt_bfloat16raw2_to_fp4x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp4, __nv_bfloat16_raw)
#undef KMUX_NIBBLES

// A half represents every number of 6 bits: one of E2M3 has 8 steps from 1 to 2, one of E3M2 has 4.
KMUX_DEVICE __half_raw __nv_cvt_fp6_to_halfraw(__nv_fp6_storage_t x, __nv_fp6_interpretation_t kind) {
  const unsigned digits = kind == __NV_E2M3 ? 3 : 2, bias = kind == __NV_E2M3 ? 1 : 3;
  const unsigned magnitude = x & 0x1f, exponent = magnitude >> digits, digit = magnitude & ((1u << digits) - 1);
  const unsigned first = exponent == 0 ? 0 : 1u << digits;
  const unsigned scale = (exponent == 0 ? 1 : exponent) - bias + 127 - digits;
  const float number = static_cast<float>(first + digit) * __builtin_bit_cast(float, scale << 23);
  return {static_cast<unsigned short>(kmux_bits(__half(number)) | ((x & 0x20) << 10))};
}
KMUX_DEVICE __half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t x, __nv_fp4_interpretation_t) {
  return __nv_cvt_fp6_to_halfraw(static_cast<__nv_fp6_storage_t>((x & 15) << 2), __NV_E2M3);
}
KMUX_DEVICE __half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t x, __nv_fp4_interpretation_t kind) {
  return {__nv_cvt_fp4_to_halfraw(x, kind).x, __nv_cvt_fp4_to_halfraw(static_cast<__nv_fp4_storage_t>(x >> 4), kind).x};
}

#define KMUX_FP4_OF(type) \
  KMUX_MEMBER explicit __nv_fp4_e2m1(type x) : __nv_fp4_e2m1(static_cast<float>(x)) {}
struct __nv_fp4_e2m1 {
  __nv_fp4_storage_t __x;
  __nv_fp4_e2m1() = default;
  KMUX_MEMBER explicit __nv_fp4_e2m1(float x) : __x(kmux_fp4(x, cudaRoundNearest)) {}
  KMUX_MEMBER explicit __nv_fp4_e2m1(double x) : __x(kmux_fp4(x, cudaRoundNearest)) {}
  KMUX_FP4_OF(__half)
  KMUX_FP4_OF(__nv_bfloat16)
  KMUX_FP4_OF(short)
  KMUX_FP4_OF(unsigned short)
  KMUX_FP4_OF(int)
  KMUX_FP4_OF(unsigned)
  KMUX_FP4_OF(long)
  KMUX_FP4_OF(unsigned long)
  KMUX_FP4_OF(long long)
  KMUX_FP4_OF(unsigned long long)
  KMUX_MEMBER explicit operator __half() const { return __nv_cvt_fp4_to_halfraw(__x, __NV_E2M1); }
  KMUX_MEMBER explicit operator float() const { return static_cast<__half>(*this); }
  KMUX_MEMBER explicit operator double() const { return static_cast<float>(*this); }
  KMUX_MEMBER explicit operator __nv_bfloat16() const { return static_cast<__nv_bfloat16>(static_cast<float>(*this)); }
  KMUX_MEMBER explicit operator int() const { return static_cast<int>(static_cast<float>(*this)); }
  KMUX_MEMBER explicit operator bool() const { return (__x & 7) != 0; }
};
#undef KMUX_FP4_OF

struct __nv_fp4x2_e2m1 {
  __nv_fp4x2_storage_t __x;
  __nv_fp4x2_e2m1() = default;
  KMUX_MEMBER explicit __nv_fp4x2_e2m1(float2 x) : __x(__nv_cvt_float2_to_fp4x2(x, __NV_E2M1, cudaRoundNearest)) {}
  KMUX_MEMBER explicit __nv_fp4x2_e2m1(double2 x) : __x(__nv_cvt_double2_to_fp4x2(x, __NV_E2M1, cudaRoundNearest)) {}
  KMUX_MEMBER explicit __nv_fp4x2_e2m1(__half2 x) : __x(__nv_cvt_halfraw2_to_fp4x2(x, __NV_E2M1, cudaRoundNearest)) {}
  KMUX_MEMBER explicit __nv_fp4x2_e2m1(__nv_bfloat162 x)
      : __x(__nv_cvt_bfloat16raw2_to_fp4x2(x, __NV_E2M1, cudaRoundNearest)) {}
  KMUX_MEMBER explicit operator __half2() const { return __nv_cvt_fp4x2_to_halfraw2(__x, __NV_E2M1); }
  KMUX_MEMBER explicit operator float2() const { return __half22float2(static_cast<__half2>(*this)); }
};
