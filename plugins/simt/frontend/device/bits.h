// Bit operations on integers.
#pragma once

KMUX_DEVICE int __popc(unsigned value) { return __builtin_popcount(value); }
KMUX_DEVICE int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
KMUX_DEVICE int __clz(int value) { return value == 0 ? 32 : __builtin_clz(static_cast<unsigned>(value)); }
KMUX_DEVICE int __clzll(long long value) {
  return value == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(value));
}
KMUX_DEVICE int __ffs(int value) { return value == 0 ? 0 : __builtin_ctz(static_cast<unsigned>(value)) + 1; }
KMUX_DEVICE int __ffsll(long long value) {
  return value == 0 ? 0 : __builtin_ctzll(static_cast<unsigned long long>(value)) + 1;
}
KMUX_DEVICE unsigned __brev(unsigned value) { return __builtin_bitreverse32(value); }
KMUX_DEVICE unsigned long long __brevll(unsigned long long value) { return __builtin_bitreverse64(value); }
// Returns the position of the n-th set bit from `base` on, upwards or downwards; n = 0: the base itself, if it is set.
KMUX_DEVICE unsigned __fns(unsigned mask, unsigned base, int offset) {
  const int step = offset < 0 ? -1 : 1;
  int left = offset == 0 ? 1 : offset * step;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
    if (((mask >> at) & 1) != 0 && --left == 0) return static_cast<unsigned>(at);
    if (offset == 0) break;
  }
  return ~0u;
}

// Products and averages.
KMUX_DEVICE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
KMUX_DEVICE int __mulhi(int a, int b) { return static_cast<int>((static_cast<long long>(a) * b) >> 32); }
KMUX_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  const unsigned long long a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const unsigned long long middle = a1 * b0 + ((a0 * b0) >> 32);
  return a1 * b1 + (middle >> 32) + (((middle & 0xffffffff) + a0 * b1) >> 32);
}
KMUX_DEVICE long long __mul64hi(long long a, long long b) {
  const unsigned long long high = __umul64hi(static_cast<unsigned long long>(a), static_cast<unsigned long long>(b));
  return static_cast<long long>(high - static_cast<unsigned long long>(a < 0 ? b : 0) -
                                static_cast<unsigned long long>(b < 0 ? a : 0));
}
KMUX_DEVICE int __mul24(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(static_cast<int>(static_cast<unsigned>(a) << 8) >> 8) *
                          static_cast<unsigned>(static_cast<int>(static_cast<unsigned>(b) << 8) >> 8));
}
KMUX_DEVICE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
KMUX_DEVICE int __hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
KMUX_DEVICE int __rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
KMUX_DEVICE unsigned __uhadd(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
KMUX_DEVICE unsigned __urhadd(unsigned a, unsigned b) { return (a | b) - ((a ^ b) >> 1); }
KMUX_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a < b ? b - a : a - b) + c; }
KMUX_DEVICE unsigned __sad(int a, int b, unsigned c) {
  return (a < b ? static_cast<unsigned>(b) - static_cast<unsigned>(a)
                : static_cast<unsigned>(a) - static_cast<unsigned>(b)) +
         c;
}

// Funnel shifts, and byte permutation of two words.
KMUX_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((((static_cast<unsigned long long>(high) << 32) | low) << (shift & 31)) >> 32);
}
KMUX_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32) | low) >> (shift & 31));
}
KMUX_DEVICE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((((static_cast<unsigned long long>(high) << 32) | low) << (shift < 32 ? shift : 32)) >>
                               32);
}
KMUX_DEVICE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32) | low) >> (shift < 32 ? shift : 32));
}
KMUX_DEVICE unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const unsigned long long bytes = (static_cast<unsigned long long>(high) << 32) | low;
  unsigned result = 0;
#pragma clang loop unroll(full)
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> (4 * i);
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (nibble & 7))) & 0xff;
    if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;  // replicates its sign
    result |= byte << (8 * i);
  }
  return result;
}
// The dot product of small integers packed in words; A and B are their types, starting at element `first` of b.
#define KMUX_DOT(name, result, A, B, count, first)                                                     \
  KMUX_DEVICE result name(result a, result b, result c) {                                              \
    unsigned sum = static_cast<unsigned>(c);                                                           \
    for (int i = 0; i < count; ++i) {                                                                  \
      const int x = static_cast<A>(static_cast<unsigned>(a) >> (32 / count * i));                      \
      sum += static_cast<unsigned>(x * static_cast<B>(static_cast<unsigned>(b) >> (8 * (i + first)))); \
    }                                                                                                  \
    return static_cast<result>(sum);                                                                   \
  }
KMUX_DOT(__dp4a, int, signed char, signed char, 4, 0)
KMUX_DOT(__dp4a, unsigned, unsigned char, unsigned char, 4, 0)
KMUX_DOT(__dp2a_lo, int, short, signed char, 2, 0)
KMUX_DOT(__dp2a_hi, int, short, signed char, 2, 2)
KMUX_DOT(__dp2a_lo, unsigned, unsigned short, unsigned char, 2, 0)
KMUX_DOT(__dp2a_hi, unsigned, unsigned short, unsigned char, 2, 2)
#undef KMUX_DOT
KMUX_DEVICE int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
KMUX_DEVICE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return __dp4a(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}

// Reinterpretations of a value's bits.
KMUX_DEVICE float __int_as_float(int value) { return __builtin_bit_cast(float, value); }
KMUX_DEVICE float __uint_as_float(unsigned value) { return __builtin_bit_cast(float, value); }
KMUX_DEVICE int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
KMUX_DEVICE unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
KMUX_DEVICE double __longlong_as_double(long long value) { return __builtin_bit_cast(double, value); }
KMUX_DEVICE long long __double_as_longlong(double value) { return __builtin_bit_cast(long long, value); }
KMUX_DEVICE double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(
      double, (static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32) | static_cast<unsigned>(low));
}
KMUX_DEVICE int __double2hiint(double value) {
  return static_cast<int>(__builtin_bit_cast(unsigned long long, value) >> 32);
}
KMUX_DEVICE int __double2loint(double value) { return static_cast<int>(__builtin_bit_cast(unsigned long long, value)); }
