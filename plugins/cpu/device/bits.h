// Bits.
#pragma once

KMUX_DEVICE int __popc(unsigned value) { return __builtin_popcount(value); }
KMUX_DEVICE int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
KMUX_DEVICE int __clz(int value) { return value == 0 ? 32 : __builtin_clz(static_cast<unsigned>(value)); }
KMUX_DEVICE int __clzll(long long value) {
  return value == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(value));
}
KMUX_DEVICE int __ffs(int value) { return __builtin_ffs(value); }
KMUX_DEVICE int __ffsll(long long value) { return __builtin_ffsll(value); }
KMUX_DEVICE unsigned __brev(unsigned value) { return __builtin_bitreverse32(value); }
KMUX_DEVICE unsigned long long __brevll(unsigned long long value) { return __builtin_bitreverse64(value); }
KMUX_DEVICE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
KMUX_DEVICE int __mulhi(int a, int b) { return static_cast<int>((static_cast<long long>(a) * b) >> 32); }
KMUX_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
KMUX_DEVICE int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
KMUX_DEVICE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
KMUX_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((((static_cast<unsigned long long>(high) << 32) | low) << (shift & 31)) >> 32);
}
KMUX_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32) | low) >> (shift & 31));
}
KMUX_DEVICE float __int_as_float(int value) { return __builtin_bit_cast(float, value); }
KMUX_DEVICE float __uint_as_float(unsigned value) { return __builtin_bit_cast(float, value); }
KMUX_DEVICE int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
KMUX_DEVICE unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
KMUX_DEVICE double __longlong_as_double(long long value) { return __builtin_bit_cast(double, value); }
KMUX_DEVICE long long __double_as_longlong(double value) { return __builtin_bit_cast(long long, value); }
