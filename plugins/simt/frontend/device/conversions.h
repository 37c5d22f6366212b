// Conversions between number types, in every rounding direction and with CUDA's saturation; arithmetic of float and
// double in rounding directions other than to nearest.
#pragma once

// Rounding directions. Each function takes one as its first argument, which is constant after inlining.
constexpr int kmux_to_zero = 0, kmux_down = 1, kmux_up = 2;

// Returns `nearest`, the exact result rounded to nearest, rounded in another direction instead. `error` has the sign of
// the exact result minus `nearest`; zero if they are equal.
#define KMUX_FUNCTIONS(F, Bits, largest)                                                                           \
  KMUX_DEVICE bool kmux_is_finite(F x) { return __builtin_fabs(x) <= largest; }                                    \
  KMUX_DEVICE F kmux_directed(int direction, F nearest, double error) {                                            \
    constexpr Bits sign = static_cast<Bits>(1) << (8 * sizeof(F) - 1);                                             \
    const Bits bits = __builtin_bit_cast(Bits, nearest);                                                           \
    const bool negative = (bits & sign) != 0;                                                                      \
    const bool zero = (bits << 1) == 0;                                                                            \
    const bool down = error < 0 && (direction == kmux_down || (direction == kmux_to_zero && !negative));           \
    const bool up = error > 0 && (direction == kmux_up || (direction == kmux_to_zero && negative));                \
    const Bits lower = zero ? (sign | 1) : negative ? bits + 1 : bits - 1;                                         \
    const Bits higher = zero ? 1 : negative ? bits - 1 : bits + 1;                                                 \
    return __builtin_bit_cast(F, down ? lower : up ? higher : bits);                                               \
  }                                                                                                                \
  /* Of a sum: what it lacks, exactly (Knuth, The Art of Computer Programming 2, 4.2.2). */                        \
  KMUX_DEVICE F kmux_error_of_sum(F a, F b, F sum) {                                                               \
    _Pragma("clang fp reassociate(off)") const F of_b = sum - a;                                                   \
    return (a - (sum - of_b)) + (b - of_b);                                                                        \
  }                                                                                                                \
  /* A sum that is exactly zero is -0 downwards, unless both are +0; one beyond all numbers may be the largest. */ \
  KMUX_DEVICE F kmux_sum(int direction, F a, F b) {                                                                \
    const F sum = a + b;                                                                                           \
    const bool beyond = kmux_is_finite(a) && kmux_is_finite(b) && !kmux_is_finite(sum);                            \
    if (beyond) return kmux_directed(direction, sum, -sum);                                                        \
    if (!kmux_is_finite(sum)) return sum;                                                                          \
    const F error = kmux_error_of_sum(a, b, sum);                                                                  \
    const bool positive = !__builtin_signbit(a) && !__builtin_signbit(b);                                          \
    if (direction == kmux_down && sum == 0 && error == 0 && !positive) return -F(0);                               \
    return kmux_directed(direction, sum, error);                                                                   \
  }                                                                                                                \
  /* An integer: the bits that do not fit are cut off, then the last one that does may go up. */                   \
  KMUX_DEVICE F kmux_magnitude(unsigned long long value, bool away, F) {                                           \
    const int excess = value == 0 ? 0 : 64 - __builtin_clzll(value) - (sizeof(F) == 4 ? 24 : 53);                  \
    const unsigned long long lost = excess > 0 ? value & ((1ull << excess) - 1) : 0;                               \
    const Bits bits = __builtin_bit_cast(Bits, static_cast<F>(value - lost));                                      \
    return __builtin_bit_cast(F, bits + (away && lost != 0 ? 1 : 0));                                              \
  }                                                                                                                \
  KMUX_DEVICE F kmux_from_integer(int direction, bool negative, unsigned long long value, F type) {                \
    const bool away = direction == (negative ? kmux_down : kmux_up);                                               \
    const F magnitude = kmux_magnitude(negative ? 0 - value : value, away, type);                                  \
    return negative ? -magnitude : magnitude;                                                                      \
  }
KMUX_FUNCTIONS(float, unsigned, 3.40282346638528859812e38f)
KMUX_FUNCTIONS(double, unsigned long long, 1.79769313486231570815e308)
#undef KMUX_FUNCTIONS

// Conversions from integers to floating-point numbers.
#define KMUX_FROM_INTEGER(name, from, to)                                                                  \
  KMUX_DEVICE to name##_rn(from value) { return static_cast<to>(value); }                                  \
  KMUX_DEVICE to name##_rz(from value) { return kmux_from_integer(kmux_to_zero, value < 0, value, to()); } \
  KMUX_DEVICE to name##_rd(from value) { return kmux_from_integer(kmux_down, value < 0, value, to()); }    \
  KMUX_DEVICE to name##_ru(from value) { return kmux_from_integer(kmux_up, value < 0, value, to()); }
KMUX_FROM_INTEGER(__int2float, int, float)
KMUX_FROM_INTEGER(__uint2float, unsigned, float)
KMUX_FROM_INTEGER(__ll2float, long long, float)
KMUX_FROM_INTEGER(__ull2float, unsigned long long, float)
KMUX_FROM_INTEGER(__ll2double, long long, double)
KMUX_FROM_INTEGER(__ull2double, unsigned long long, double)
#undef KMUX_FROM_INTEGER
KMUX_DEVICE double __int2double_rn(int value) { return value; }
KMUX_DEVICE double __uint2double_rn(unsigned value) { return value; }

// Conversions from floating-point numbers to integers. A cast saturates out-of-range values, and converts NaN to 0.
// With double or 64 bits involved, NaN converts to the highest bit alone (PTX, cvt).
#define KMUX_TO_INTEGER(name, from, to, none)                                                        \
  KMUX_DEVICE to name##_rz(from value) { return value != value ? none : static_cast<to>(value); }    \
  KMUX_DEVICE to name##_rn(from value) { return name##_rz(__builtin_elementwise_roundeven(value)); } \
  KMUX_DEVICE to name##_rd(from value) { return name##_rz(__builtin_elementwise_floor(value)); }     \
  KMUX_DEVICE to name##_ru(from value) { return name##_rz(__builtin_elementwise_ceil(value)); }
KMUX_TO_INTEGER(__float2int, float, int, 0)
KMUX_TO_INTEGER(__float2uint, float, unsigned, 0)
KMUX_TO_INTEGER(__float2ll, float, long long, static_cast<long long>(1ull << 63))
KMUX_TO_INTEGER(__float2ull, float, unsigned long long, 1ull << 63)
KMUX_TO_INTEGER(__double2int, double, int, static_cast<int>(1u << 31))
KMUX_TO_INTEGER(__double2uint, double, unsigned, 1u << 31)
KMUX_TO_INTEGER(__double2ll, double, long long, static_cast<long long>(1ull << 63))
KMUX_TO_INTEGER(__double2ull, double, unsigned long long, 1ull << 63)
#undef KMUX_TO_INTEGER

// Rounding to nearest; an operation with this suffix is never contracted with another one.
#define KMUX_ALONE _Pragma("clang fp contract(off)")
KMUX_DEVICE float __fadd_rn(float a, float b) { KMUX_ALONE return a + b; }
KMUX_DEVICE float __fsub_rn(float a, float b) { KMUX_ALONE return a - b; }
KMUX_DEVICE float __fmul_rn(float a, float b) { KMUX_ALONE return a * b; }
KMUX_DEVICE float __fdiv_rn(float a, float b) { return a / b; }
KMUX_DEVICE float __frcp_rn(float a) { return 1.0f / a; }
KMUX_DEVICE float __fsqrt_rn(float a) { return __builtin_elementwise_sqrt(a); }
KMUX_DEVICE float __frsqrt_rn(float a) {
  return static_cast<float>(1.0 / __builtin_elementwise_sqrt(static_cast<double>(a)));
}
KMUX_DEVICE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
KMUX_DEVICE float2 __fadd2_rn(float2 a, float2 b) { KMUX_ALONE return {a.x + b.x, a.y + b.y}; }
KMUX_DEVICE float2 __fmul2_rn(float2 a, float2 b) { KMUX_ALONE return {a.x * b.x, a.y * b.y}; }
KMUX_DEVICE float2 __ffma2_rn(float2 a, float2 b, float2 c) {
  return {__builtin_fmaf(a.x, b.x, c.x), __builtin_fmaf(a.y, b.y, c.y)};
}
KMUX_DEVICE double __dadd_rn(double a, double b) { KMUX_ALONE return a + b; }
KMUX_DEVICE double __dsub_rn(double a, double b) { KMUX_ALONE return a - b; }
KMUX_DEVICE double __dmul_rn(double a, double b) { KMUX_ALONE return a * b; }
KMUX_DEVICE double __ddiv_rn(double a, double b) { return a / b; }
KMUX_DEVICE double __drcp_rn(double a) { return 1.0 / a; }
KMUX_DEVICE double __dsqrt_rn(double a) { return __builtin_elementwise_sqrt(a); }
KMUX_DEVICE double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
#undef KMUX_ALONE

// Returns `high` + `low` as a float.
KMUX_DEVICE float kmux_to_float(int direction, double high, double low) {
  const float nearest = static_cast<float>(high);
  if (!kmux_is_finite(high)) return nearest;
  const double error = high - static_cast<double>(nearest);
  return kmux_directed(direction, nearest, error != 0 ? error : low);
}
KMUX_DEVICE float __double2float_rn(double x) { return static_cast<float>(x); }
KMUX_DEVICE float __double2float_rz(double x) { return kmux_to_float(kmux_to_zero, x, 0); }
KMUX_DEVICE float __double2float_rd(double x) { return kmux_to_float(kmux_down, x, 0); }
KMUX_DEVICE float __double2float_ru(double x) { return kmux_to_float(kmux_up, x, 0); }

// In double, products of floats are exact, and for other operations the sign of the rounding error is.
KMUX_DEVICE float kmux_quotient(int direction, double a, double b) {
  const double quotient = a / b;
  const double rest = __builtin_fma(-quotient, b, a);
  const bool is_number = kmux_is_finite(quotient) && kmux_is_finite(b);
  return kmux_to_float(direction, quotient, is_number ? (b < 0 ? -rest : rest) : 0);
}
KMUX_DEVICE float kmux_root(int direction, double x) {
  const double root = __builtin_elementwise_sqrt(x);
  return kmux_to_float(direction, root, kmux_is_finite(root) ? __builtin_fma(-root, root, x) : 0);
}
KMUX_DEVICE float kmux_product_sum(int direction, double a, double b, double c) {
  const double product = __dmul_rn(a, b);  // never contracted with the sum
  const double sum = product + c;
  if (sum == 0) return static_cast<float>(kmux_sum(direction, product, c));
  return kmux_to_float(direction, sum, kmux_is_finite(sum) ? kmux_error_of_sum(product, c, sum) : 0);
}
// The product of doubles; both are scaled up where the rounding error would underflow.
KMUX_DEVICE double kmux_product(int direction, double a, double b) {
  const double nearest = __dmul_rn(a, b);
  const bool beyond = kmux_is_finite(a) && kmux_is_finite(b) && !kmux_is_finite(nearest);
  if (beyond) return kmux_directed(direction, nearest, -nearest);
  if (!kmux_is_finite(nearest)) return nearest;
  const double scale = __builtin_fabs(nearest) < 0x1p-900 ? 0x1p540 : 1;
  return kmux_directed(direction, nearest, __builtin_fma(a * scale, b * scale, -(nearest * scale * scale)));
}

// A double without its exponent, 1 <= |x| < 2 (or 0), and the exponent.
struct kmux_split {
  double part;
  int exponent;
};
KMUX_DEVICE kmux_split kmux_split_of(double x) {
  const bool is_small = __builtin_fabs(x) < 0x1p-1022;
  const long long bits = __builtin_bit_cast(long long, is_small ? x * 0x1p54 : x);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  if (x == 0) return {x, -2000};
  return {__builtin_bit_cast(double, (bits & ~(0x7ffll << 52)) | 0x3ffll << 52), is_small ? exponent - 54 : exponent};
}
// x.part * 2^exponent; 2^-300 and less are as good as any smaller number here, and the exponent is at most 300.
KMUX_DEVICE double kmux_of_parts(kmux_split x, int exponent) {
  const int limited = exponent < -300 ? -300 : exponent;
  return x.part * __builtin_bit_cast(double, static_cast<long long>(limited + 1023) << 52);
}

// The sign of the rest of a quotient is exact: parts neither overflow nor underflow.
KMUX_DEVICE double kmux_quotient_of_doubles(int direction, double a, double b) {
  const double nearest = a / b;
  if (!kmux_is_finite(a) || !kmux_is_finite(b) || a == 0 || b == 0) return nearest;
  if (!kmux_is_finite(nearest)) return kmux_directed(direction, nearest, -nearest);
  const kmux_split over = kmux_split_of(a), under = kmux_split_of(b), part = kmux_split_of(nearest);
  const double quotient = kmux_of_parts(part, part.exponent - over.exponent + under.exponent);
  const double rest = __builtin_fma(-quotient, under.part, over.part);
  return kmux_directed(direction, nearest, b < 0 ? -rest : rest);
}
KMUX_DEVICE double kmux_root_of_double(int direction, double x) {
  const double root = __builtin_elementwise_sqrt(x);
  if (!kmux_is_finite(root) || x == 0) return root;
  const double scale = x < 0x1p-400 ? 0x1p300 : 1;
  return kmux_directed(direction, root, __builtin_fma(-(root * scale), root * scale, x * scale * scale));
}
// The sum of three numbers, whose sign is exact.
KMUX_DEVICE double kmux_sign_of_sum(double a, double b, double c) {
  const double low = __dadd_rn(b, c), lost = kmux_error_of_sum(b, c, low);
  const double sum = __dadd_rn(a, low), rest = kmux_error_of_sum(a, low, sum);
  const double other = __dadd_rn(rest, lost), last = kmux_error_of_sum(rest, lost, other);
  const double total = __dadd_rn(sum, other);
  return __dadd_rn(total, __dadd_rn(kmux_error_of_sum(sum, other, total), last));
}
// The exact a b + c minus `nearest`, by its sign. All numbers are scaled by the exponents of a and b.
KMUX_DEVICE double kmux_error_of_fma(double a, double b, double c, double nearest) {
  const kmux_split one = kmux_split_of(a), two = kmux_split_of(b), sum = kmux_split_of(c);
  const int exponent = one.exponent + two.exponent;
  const double high = __dmul_rn(one.part, two.part), low = __builtin_fma(one.part, two.part, -high);
  if (sum.exponent - exponent > 200) return c != nearest ? __dadd_rn(c, -nearest) : high;
  const kmux_split part = kmux_split_of(nearest);
  const double result = kmux_of_parts(part, part.exponent - exponent);
  if (sum.exponent - exponent < -200) {
    const double error = __dadd_rn(__dadd_rn(high, -result), low);
    return error != 0 ? error : c;
  }
  const double added = kmux_of_parts(sum, sum.exponent - exponent);
  const double both = __dadd_rn(high, added);
  return kmux_sign_of_sum(__dadd_rn(both, -result), kmux_error_of_sum(high, added, both), low);
}
KMUX_DEVICE double kmux_product_sum_of_doubles(int direction, double a, double b, double c) {
  const double nearest = __builtin_fma(a, b, c);
  if (!kmux_is_finite(a) || !kmux_is_finite(b) || !kmux_is_finite(c)) return nearest;
  if (!kmux_is_finite(nearest)) return kmux_directed(direction, nearest, -nearest);
  if (a == 0 || b == 0) return kmux_sum(direction, __dmul_rn(a, b), c);
  const double error = kmux_error_of_fma(a, b, c, nearest);
  if (nearest == 0 && error == 0) return kmux_sum(direction, __dmul_rn(a, b), c);
  return kmux_directed(direction, nearest, error);
}

#define KMUX_DIRECTED(suffix, direction)                                                                        \
  KMUX_DEVICE float __fadd_##suffix(float a, float b) { return kmux_sum(direction, a, b); }                     \
  KMUX_DEVICE float __fsub_##suffix(float a, float b) { return kmux_sum(direction, a, -b); }                    \
  KMUX_DEVICE float __fmul_##suffix(float a, float b) {                                                         \
    return kmux_to_float(direction, static_cast<double>(a) * b, 0);                                             \
  }                                                                                                             \
  KMUX_DEVICE float __fdiv_##suffix(float a, float b) { return kmux_quotient(direction, a, b); }                \
  KMUX_DEVICE float __frcp_##suffix(float a) { return kmux_quotient(direction, 1, a); }                         \
  KMUX_DEVICE float __fsqrt_##suffix(float a) { return kmux_root(direction, a); }                               \
  KMUX_DEVICE float __fmaf_##suffix(float a, float b, float c) { return kmux_product_sum(direction, a, b, c); } \
  KMUX_DEVICE double __dadd_##suffix(double a, double b) { return kmux_sum(direction, a, b); }                  \
  KMUX_DEVICE double __dsub_##suffix(double a, double b) { return kmux_sum(direction, a, -b); }                 \
  KMUX_DEVICE double __dmul_##suffix(double a, double b) { return kmux_product(direction, a, b); }              \
  KMUX_DEVICE double __ddiv_##suffix(double a, double b) { return kmux_quotient_of_doubles(direction, a, b); }  \
  KMUX_DEVICE double __drcp_##suffix(double a) { return kmux_quotient_of_doubles(direction, 1, a); }            \
  KMUX_DEVICE double __dsqrt_##suffix(double a) { return kmux_root_of_double(direction, a); }                   \
  KMUX_DEVICE double __fma_##suffix(double a, double b, double c) {                                             \
    return kmux_product_sum_of_doubles(direction, a, b, c);                                                     \
  }
KMUX_DIRECTED(rz, kmux_to_zero)
KMUX_DIRECTED(rd, kmux_down)
KMUX_DIRECTED(ru, kmux_up)
#undef KMUX_DIRECTED

// Fast variants. A quotient by more than 2^126 is zero on a GPU; here it is the rounded quotient.
KMUX_DEVICE float __fdividef(float a, float b) { return a / b; }
KMUX_DEVICE double fdivide(double a, double b) { return a / b; }
KMUX_DEVICE float fdividef(float a, float b) { return a / b; }
KMUX_DEVICE float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }  // 0 for NaN
