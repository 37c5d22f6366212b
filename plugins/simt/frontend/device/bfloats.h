// __nv_bfloat16 and its pair: the upper 16 bits of a float (cuda_bf16.h).
#pragma once
#include <cuda_fp16.h>

KMUX_RAW_BITS(__nv_bfloat16_raw, __nv_bfloat162_raw)

// Rounds to nearest, on the bits: the hardware instruction flushes denormals to zero.
KMUX_DEVICE unsigned short kmux_upper_bits(float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  const unsigned rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return static_cast<unsigned short>(x != x ? 0x7fff : rounded);
}

struct __nv_bfloat16 {
  KMUX_NUMBER_MEMBERS(__nv_bfloat16)
  KMUX_MEMBER __nv_bfloat16(float x) : kmux_bits_(kmux_upper_bits(x)) {}
  KMUX_MEMBER __nv_bfloat16(__nv_bfloat16_raw raw) : kmux_bits_(raw.x) {}
  KMUX_MEMBER explicit __nv_bfloat16(__half x) : __nv_bfloat16(static_cast<float>(x)) {}
  KMUX_MEMBER operator float() const { return __builtin_bit_cast(float, static_cast<unsigned>(kmux_bits_) << 16); }
  KMUX_MEMBER operator __nv_bfloat16_raw() const { return {kmux_bits_}; }
  unsigned short kmux_bits_;
};
KMUX_PAIR(__nv_bfloat16, __nv_bfloat162, __nv_bfloat16_raw, __nv_bfloat162_raw)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
typedef __nv_bfloat16 __hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;

// The product may underflow in float; in double it is exact.
KMUX_DEVICE __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  const double product = __dmul_rn(static_cast<float>(a), static_cast<float>(b));
  const double other = static_cast<float>(c);
  const double sum = product + other;
  return kmux_odd(sum, kmux_is_finite(sum) ? kmux_error_of_sum(product, other, sum) : 0);
}

#define KMUX_T __nv_bfloat16
#define KMUX_T2 __nv_bfloat162
#define KMUX_NAME(before, after) before##bfloat16##after
#include <kmux/sixteen.h>
#undef KMUX_T
#undef KMUX_T2
#undef KMUX_NAME
KMUX_DEVICE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)
