// SPDX-License-Identifier: Apache-2.0
// Scaling factors of 8 bits (cuda_fp8.h): E8M0, the powers of two from 2^-127 to 2^127, and NaN.
#pragma once

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

// Rounds the magnitude of `x` to zero or, for every other mode, up.
KMUX_DEVICE __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate, cudaRoundMode rounding) {
  const unsigned magnitude = __builtin_bit_cast(unsigned, x) & 0x7fffffff;
  const unsigned least = 0x00400000, infinity = 0x7f800000;  // 2^-127, a subnormal number
  if (magnitude > infinity) return 0xff;
  const bool is_between = (magnitude & 0x007fffff) != 0 && magnitude > least;
  const unsigned code = (magnitude >> 23) + (is_between && rounding != cudaRoundZero ? 1 : 0);
  return static_cast<__nv_fp8_storage_t>(code == 0xff && saturate == __NV_SATFINITE ? 0xfe : code);
}
KMUX_DEVICE __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate, cudaRoundMode rounding) {
  return __nv_cvt_float_to_e8m0(kmux_odd(x, 0.0), saturate, rounding);
}
KMUX_DEVICE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                            cudaRoundMode rounding) {
  return __nv_cvt_float_to_e8m0(__nv_bfloat16(x), saturate, rounding);
}
KMUX_DEVICE __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 x, __nv_saturation_t saturate,
                                                           cudaRoundMode rounding) {
  return kmux_two(__nv_cvt_float_to_e8m0(x.x, saturate, rounding), __nv_cvt_float_to_e8m0(x.y, saturate, rounding));
}
KMUX_DEVICE __nv_fp8x2_storage_t __nv_cvt_double2_to_e8m0x2(double2 x, __nv_saturation_t saturate,
                                                            cudaRoundMode rounding) {
  return kmux_two(__nv_cvt_double_to_e8m0(x.x, saturate, rounding), __nv_cvt_double_to_e8m0(x.y, saturate, rounding));
}
KMUX_DEVICE __nv_fp8x2_storage_t __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw x, __nv_saturation_t saturate,
                                                                 cudaRoundMode rounding) {
  return kmux_two(__nv_cvt_bfloat16raw_to_e8m0({x.x}, saturate, rounding),
                  __nv_cvt_bfloat16raw_to_e8m0({x.y}, saturate, rounding));
}

KMUX_DEVICE __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  return {static_cast<unsigned short>(x == 0 ? 0x0040 : x == 0xff ? 0x7fff : x << 7)};
}
KMUX_DEVICE __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x) {
  return {__nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(x)).x,
          __nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(x >> 8)).x};
}

// Rounds the magnitude up: a double has not the digits of every integer.
template <class Integer>
KMUX_DEVICE __nv_fp8_storage_t kmux_integer_to_e8m0(Integer x) {
  const unsigned long long size = x < 0 ? 0 - static_cast<unsigned long long>(x) : x;
  if (size == 0) return 0;
  return static_cast<__nv_fp8_storage_t>(127 + 63 - __builtin_clzll(size) + ((size & (size - 1)) != 0 ? 1 : 0));
}

#define KMUX_E8M0_OF(type) \
  KMUX_MEMBER explicit __nv_fp8_e8m0(type x) : __x(kmux_integer_to_e8m0(x)) {}
struct __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e8m0() = default;
  KMUX_MEMBER explicit __nv_fp8_e8m0(float x) : __x(__nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf)) {}
  KMUX_MEMBER explicit __nv_fp8_e8m0(double x) : __x(__nv_cvt_double_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf)) {}
  KMUX_MEMBER explicit __nv_fp8_e8m0(__half x) : __nv_fp8_e8m0(static_cast<float>(x)) {}
  KMUX_MEMBER explicit __nv_fp8_e8m0(__nv_bfloat16 x) : __nv_fp8_e8m0(static_cast<float>(x)) {}
  KMUX_E8M0_OF(short)
  KMUX_E8M0_OF(unsigned short)
  KMUX_E8M0_OF(int)
  KMUX_E8M0_OF(unsigned)
  KMUX_E8M0_OF(long)
  KMUX_E8M0_OF(unsigned long)
  KMUX_E8M0_OF(long long)
  KMUX_E8M0_OF(unsigned long long)
  KMUX_MEMBER explicit operator __nv_bfloat16() const { return __nv_cvt_e8m0_to_bf16raw(__x); }
  KMUX_MEMBER explicit operator float() const { return static_cast<__nv_bfloat16>(*this); }
  KMUX_MEMBER explicit operator double() const { return static_cast<float>(*this); }
  KMUX_MEMBER explicit operator __half() const { return static_cast<float>(*this); }
};
#undef KMUX_E8M0_OF
