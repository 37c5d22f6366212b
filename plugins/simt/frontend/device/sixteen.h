// The common interface of half and bfloat16, under the same names. Included once for each type, with KMUX_T and KMUX_T2
// as the number and its pair, and KMUX_NAME(a, b) as a##half##b or a##bfloat16##b. KMUX_HAS_OPERATORS is defined where
// the compiler itself has operators and atomics of the number. Each operation computes in float, which has more than
// twice the precision, and rounds once.

KMUX_DEVICE float kmux_float(const KMUX_T& a) { return static_cast<float>(a); }

#define KMUX_OPERATION(name, op)                                                                               \
  KMUX_DEVICE KMUX_T name(const KMUX_T& a, const KMUX_T& b) { return KMUX_T(kmux_float(a) op kmux_float(b)); } \
  KMUX_DEVICE KMUX_T name##_rn(const KMUX_T& a, const KMUX_T& b) {                                             \
    _Pragma("clang fp contract(off)") return KMUX_T(kmux_float(a) op kmux_float(b));                           \
  }                                                                                                            \
  KMUX_DEVICE KMUX_T name##_sat(const KMUX_T& a, const KMUX_T& b) { return kmux_saturated(name(a, b)); }       \
  KMUX_DEVICE KMUX_T2 name##2(const KMUX_T2& a, const KMUX_T2& b) { return {name(a.x, b.x), name(a.y, b.y)}; } \
  KMUX_DEVICE KMUX_T2 name##2_rn(const KMUX_T2& a, const KMUX_T2& b) {                                         \
    return {name##_rn(a.x, b.x), name##_rn(a.y, b.y)};                                                         \
  }                                                                                                            \
  KMUX_DEVICE KMUX_T2 name##2_sat(const KMUX_T2& a, const KMUX_T2& b) {                                        \
    return {name##_sat(a.x, b.x), name##_sat(a.y, b.y)};                                                       \
  }

KMUX_DEVICE KMUX_T kmux_saturated(const KMUX_T& a) {
  const float x = kmux_float(a);
  return KMUX_T(x > 0 ? (x < 1 ? x : 1.0f) : 0.0f);
}
KMUX_OPERATION(__hadd, +)
KMUX_OPERATION(__hsub, -)
KMUX_OPERATION(__hmul, *)
KMUX_OPERATION(kmux_quotient, /)
#undef KMUX_OPERATION
KMUX_DEVICE KMUX_T __hdiv(const KMUX_T& a, const KMUX_T& b) { return kmux_quotient(a, b); }
KMUX_DEVICE KMUX_T2 __h2div(const KMUX_T2& a, const KMUX_T2& b) { return kmux_quotient2(a, b); }
KMUX_DEVICE KMUX_T __hneg(const KMUX_T& a) {
  return kmux_of_bits(static_cast<unsigned short>(kmux_bits(a) ^ 0x8000), a);
}
KMUX_DEVICE KMUX_T __habs(const KMUX_T& a) {
  return kmux_of_bits(static_cast<unsigned short>(kmux_bits(a) & 0x7fff), a);
}
KMUX_DEVICE KMUX_T2 __hneg2(const KMUX_T2& a) { return {__hneg(a.x), __hneg(a.y)}; }
KMUX_DEVICE KMUX_T2 __habs2(const KMUX_T2& a) { return {__habs(a.x), __habs(a.y)}; }
#ifndef KMUX_HAS_OPERATORS
#define KMUX_OPERATION(op, name)                                                                \
  KMUX_DEVICE KMUX_T operator op(const KMUX_T& a, const KMUX_T& b) { return name(a, b); }       \
  KMUX_DEVICE KMUX_T& operator op##=(KMUX_T & a, const KMUX_T & b) { return a = name(a, b); }   \
  KMUX_DEVICE KMUX_T2 operator op(const KMUX_T2& a, const KMUX_T2& b) { return name##2(a, b); } \
  KMUX_DEVICE KMUX_T2& operator op##=(KMUX_T2 & a, const KMUX_T2 & b) { return a = name##2(a, b); }
KMUX_OPERATION(+, __hadd)
KMUX_OPERATION(-, __hsub)
KMUX_OPERATION(*, __hmul)
KMUX_OPERATION(/, kmux_quotient)
#undef KMUX_OPERATION
KMUX_DEVICE KMUX_T operator-(const KMUX_T& a) { return __hneg(a); }
KMUX_DEVICE KMUX_T operator+(const KMUX_T& a) { return a; }
KMUX_DEVICE KMUX_T2 operator-(const KMUX_T2& a) { return __hneg2(a); }
KMUX_DEVICE KMUX_T2 operator+(const KMUX_T2& a) { return a; }
KMUX_DEVICE KMUX_T& operator++(KMUX_T& a) { return a += KMUX_T(1.0f); }
KMUX_DEVICE KMUX_T& operator--(KMUX_T& a) { return a -= KMUX_T(1.0f); }
KMUX_DEVICE KMUX_T operator++(KMUX_T& a, int) {
  const KMUX_T before = a;
  ++a;
  return before;
}
KMUX_DEVICE KMUX_T operator--(KMUX_T& a, int) {
  const KMUX_T before = a;
  --a;
  return before;
}
#endif

KMUX_DEVICE KMUX_T __hfma_sat(const KMUX_T& a, const KMUX_T& b, const KMUX_T& c) {
  return kmux_saturated(__hfma(a, b, c));
}
KMUX_DEVICE KMUX_T __hfma_relu(const KMUX_T& a, const KMUX_T& b, const KMUX_T& c) {
  const KMUX_T sum = __hfma(a, b, c);
  return kmux_float(sum) < 0 ? KMUX_T(0.0f) : sum;
}
KMUX_DEVICE KMUX_T2 __hfma2(const KMUX_T2& a, const KMUX_T2& b, const KMUX_T2& c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
KMUX_DEVICE KMUX_T2 __hfma2_sat(const KMUX_T2& a, const KMUX_T2& b, const KMUX_T2& c) {
  return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
}
KMUX_DEVICE KMUX_T2 __hfma2_relu(const KMUX_T2& a, const KMUX_T2& b, const KMUX_T2& c) {
  return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};
}

// Comparisons; names that end in u also hold for NaN.
#define KMUX_COMPARISON(name, holds)                                                                     \
  KMUX_DEVICE bool __h##name(const KMUX_T& a, const KMUX_T& b) {                                         \
    const float x = kmux_float(a), y = kmux_float(b);                                                    \
    return holds;                                                                                        \
  }                                                                                                      \
  KMUX_DEVICE bool __h##name##u(const KMUX_T& a, const KMUX_T& b) {                                      \
    return __h##name(a, b) || __hisnan(a) || __hisnan(b);                                                \
  }                                                                                                      \
  KMUX_DEVICE KMUX_T2 __h##name##2(const KMUX_T2& a, const KMUX_T2& b) {                                 \
    return {KMUX_T(__h##name(a.x, b.x) ? 1.0f : 0.0f), KMUX_T(__h##name(a.y, b.y) ? 1.0f : 0.0f)};       \
  }                                                                                                      \
  KMUX_DEVICE KMUX_T2 __h##name##u2(const KMUX_T2& a, const KMUX_T2& b) {                                \
    return {KMUX_T(__h##name##u(a.x, b.x) ? 1.0f : 0.0f), KMUX_T(__h##name##u(a.y, b.y) ? 1.0f : 0.0f)}; \
  }                                                                                                      \
  KMUX_DEVICE unsigned __h##name##2_mask(const KMUX_T2& a, const KMUX_T2& b) {                           \
    return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0);                \
  }                                                                                                      \
  KMUX_DEVICE unsigned __h##name##u2_mask(const KMUX_T2& a, const KMUX_T2& b) {                          \
    return (__h##name##u(a.x, b.x) ? 0xffffu : 0) | (__h##name##u(a.y, b.y) ? 0xffff0000u : 0);          \
  }                                                                                                      \
  KMUX_DEVICE bool __hb##name##2(const KMUX_T2& a, const KMUX_T2& b) {                                   \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                                   \
  }                                                                                                      \
  KMUX_DEVICE bool __hb##name##u2(const KMUX_T2& a, const KMUX_T2& b) {                                  \
    return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                                             \
  }
KMUX_DEVICE bool __hisnan(const KMUX_T& a) { return kmux_float(a) != kmux_float(a); }
KMUX_COMPARISON(eq, x == y)
KMUX_COMPARISON(ne, x<y || x> y)
KMUX_COMPARISON(lt, x < y)
KMUX_COMPARISON(le, x <= y)
KMUX_COMPARISON(gt, x > y)
KMUX_COMPARISON(ge, x >= y)
#undef KMUX_COMPARISON
#ifndef KMUX_HAS_OPERATORS
#define KMUX_COMPARISON(op, name)                                                            \
  KMUX_DEVICE bool operator op(const KMUX_T& a, const KMUX_T& b) { return __h##name(a, b); } \
  KMUX_DEVICE bool operator op(const KMUX_T2& a, const KMUX_T2& b) { return __hb##name##2(a, b); }
KMUX_COMPARISON(==, eq)
KMUX_COMPARISON(!=, neu)
KMUX_COMPARISON(<, lt)
KMUX_COMPARISON(<=, le)
KMUX_COMPARISON(>, gt)
KMUX_COMPARISON(>=, ge)
#undef KMUX_COMPARISON
#endif
KMUX_DEVICE KMUX_T2 __hisnan2(const KMUX_T2& a) {
  return {KMUX_T(__hisnan(a.x) ? 1.0f : 0.0f), KMUX_T(__hisnan(a.y) ? 1.0f : 0.0f)};
}
KMUX_DEVICE int __hisinf(const KMUX_T& a) {
  const float x = kmux_float(a);
  return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0;
}

// Maximum and minimum: +0 is larger than -0. Of a number and NaN the number is returned, but NaN by the _nan functions.
KMUX_DEVICE KMUX_T __hmax(const KMUX_T& a, const KMUX_T& b) {
  const float x = kmux_float(a), y = kmux_float(b);
  if (x == y) return __builtin_signbit(x) ? b : a;
  return x > y || y != y ? a : b;
}
KMUX_DEVICE KMUX_T __hmin(const KMUX_T& a, const KMUX_T& b) {
  const float x = kmux_float(a), y = kmux_float(b);
  if (x == y) return __builtin_signbit(x) ? a : b;
  return x < y || y != y ? a : b;
}
KMUX_DEVICE KMUX_T __hmax_nan(const KMUX_T& a, const KMUX_T& b) {
  return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);
}
KMUX_DEVICE KMUX_T __hmin_nan(const KMUX_T& a, const KMUX_T& b) {
  return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);
}
KMUX_DEVICE KMUX_T2 __hmax2(const KMUX_T2& a, const KMUX_T2& b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
KMUX_DEVICE KMUX_T2 __hmin2(const KMUX_T2& a, const KMUX_T2& b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
KMUX_DEVICE KMUX_T2 __hmax2_nan(const KMUX_T2& a, const KMUX_T2& b) {
  return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)};
}
KMUX_DEVICE KMUX_T2 __hmin2_nan(const KMUX_T2& a, const KMUX_T2& b) {
  return {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)};
}

// Math functions.
#define KMUX_FUNCTION(name, value)              \
  KMUX_DEVICE KMUX_T h##name(const KMUX_T& a) { \
    const float x = kmux_float(a);              \
    return KMUX_T(value);                       \
  }                                             \
  KMUX_DEVICE KMUX_T2 h2##name(const KMUX_T2& a) { return {h##name(a.x), h##name(a.y)}; }
KMUX_FUNCTION(ceil, __builtin_elementwise_ceil(x))
KMUX_FUNCTION(cos, ::cosf(x))
KMUX_FUNCTION(exp, ::expf(x))
KMUX_FUNCTION(exp10, ::exp10f(x))
KMUX_FUNCTION(exp2, ::exp2f(x))
KMUX_FUNCTION(floor, __builtin_elementwise_floor(x))
KMUX_FUNCTION(log, ::logf(x))
KMUX_FUNCTION(log10, ::log10f(x))
KMUX_FUNCTION(log2, ::log2f(x))
KMUX_FUNCTION(rcp, 1.0f / x)
KMUX_FUNCTION(rint, __builtin_elementwise_roundeven(x))
KMUX_FUNCTION(rsqrt, 1.0f / __builtin_elementwise_sqrt(x))
KMUX_FUNCTION(sin, ::sinf(x))
KMUX_FUNCTION(sqrt, __builtin_elementwise_sqrt(x))
KMUX_FUNCTION(trunc, __builtin_elementwise_trunc(x))
#undef KMUX_FUNCTION

// Conversions.
KMUX_DEVICE KMUX_T kmux_directed(int direction, const KMUX_T& nearest, float error) {
  const unsigned bits = kmux_bits(nearest);
  const bool negative = bits >= 0x8000, zero = (bits & 0x7fff) == 0;
  const bool down = error < 0 && (direction == kmux_down || (direction == kmux_to_zero && !negative));
  const bool up = error > 0 && (direction == kmux_up || (direction == kmux_to_zero && negative));
  const unsigned lower = zero ? 0x8001 : negative ? bits + 1 : bits - 1;
  const unsigned higher = zero ? 1 : negative ? bits - 1 : bits + 1;
  return kmux_of_bits(static_cast<unsigned short>(down ? lower : up ? higher : bits), nearest);
}
KMUX_DEVICE KMUX_T kmux_rounded(int direction, float x, KMUX_T) {
  const KMUX_T nearest(x);
  return kmux_directed(direction, nearest, x - kmux_float(nearest));
}
KMUX_DEVICE KMUX_T KMUX_NAME(__float2, )(float x) { return KMUX_T(x); }
KMUX_DEVICE KMUX_T KMUX_NAME(__float2, _rn)(float x) { return KMUX_T(x); }
KMUX_DEVICE KMUX_T KMUX_NAME(__float2, _rz)(float x) { return kmux_rounded(kmux_to_zero, x, KMUX_T()); }
KMUX_DEVICE KMUX_T KMUX_NAME(__float2, _rd)(float x) { return kmux_rounded(kmux_down, x, KMUX_T()); }
KMUX_DEVICE KMUX_T KMUX_NAME(__float2, _ru)(float x) { return kmux_rounded(kmux_up, x, KMUX_T()); }
KMUX_DEVICE KMUX_T KMUX_NAME(__double2, )(double x) { return KMUX_T(x); }
KMUX_DEVICE float KMUX_NAME(__, 2float)(const KMUX_T& a) { return kmux_float(a); }
KMUX_DEVICE short KMUX_NAME(__, _as_short)(const KMUX_T& a) { return static_cast<short>(kmux_bits(a)); }
KMUX_DEVICE unsigned short KMUX_NAME(__, _as_ushort)(const KMUX_T& a) { return kmux_bits(a); }
KMUX_DEVICE KMUX_T KMUX_NAME(__short_as_, )(short bits) {
  return kmux_of_bits(static_cast<unsigned short>(bits), KMUX_T());
}
KMUX_DEVICE KMUX_T KMUX_NAME(__ushort_as_, )(unsigned short bits) { return kmux_of_bits(bits, KMUX_T()); }

#define KMUX_INTEGER(type, name, widen)                                                                              \
  KMUX_DEVICE KMUX_T KMUX_NAME(__##name##2, _rn)(type value) { return KMUX_T(value); }                               \
  KMUX_DEVICE KMUX_T KMUX_NAME(__##name##2, _rz)(type value) { return KMUX_NAME(__float2, _rz)(widen##_rz(value)); } \
  KMUX_DEVICE KMUX_T KMUX_NAME(__##name##2, _rd)(type value) { return KMUX_NAME(__float2, _rd)(widen##_rd(value)); } \
  KMUX_DEVICE KMUX_T KMUX_NAME(__##name##2, _ru)(type value) { return KMUX_NAME(__float2, _ru)(widen##_ru(value)); } \
  KMUX_DEVICE type KMUX_NAME(__, 2##name##_rn)(const KMUX_T& a) {                                                    \
    return kmux_as_integer(__builtin_elementwise_roundeven(kmux_float(a)), type());                                  \
  }                                                                                                                  \
  KMUX_DEVICE type KMUX_NAME(__, 2##name##_rz)(const KMUX_T& a) { return kmux_as_integer(kmux_float(a), type()); }   \
  KMUX_DEVICE type KMUX_NAME(__, 2##name##_rd)(const KMUX_T& a) {                                                    \
    return kmux_as_integer(__builtin_elementwise_floor(kmux_float(a)), type());                                      \
  }                                                                                                                  \
  KMUX_DEVICE type KMUX_NAME(__, 2##name##_ru)(const KMUX_T& a) {                                                    \
    return kmux_as_integer(__builtin_elementwise_ceil(kmux_float(a)), type());                                       \
  }
using kmux_long_long = long long;
using kmux_unsigned_long_long = unsigned long long;
using kmux_unsigned_short = unsigned short;
KMUX_INTEGER(int, int, __int2float)
KMUX_INTEGER(unsigned, uint, __uint2float)
KMUX_INTEGER(short, short, __int2float)
KMUX_INTEGER(kmux_unsigned_short, ushort, __uint2float)
KMUX_INTEGER(kmux_long_long, ll, __ll2float)
KMUX_INTEGER(kmux_unsigned_long_long, ull, __ull2float)
#undef KMUX_INTEGER
KMUX_DEVICE signed char KMUX_NAME(__, 2char_rz)(const KMUX_T& a) { return static_cast<signed char>(kmux_float(a)); }
KMUX_DEVICE unsigned char KMUX_NAME(__, 2uchar_rz)(const KMUX_T& a) {
  return static_cast<unsigned char>(kmux_float(a));
}

// Pairs.
KMUX_DEVICE float __low2float(const KMUX_T2& a) { return kmux_float(a.x); }
KMUX_DEVICE float __high2float(const KMUX_T2& a) { return kmux_float(a.y); }
KMUX_DEVICE KMUX_T KMUX_NAME(__low2, )(const KMUX_T2& a) { return a.x; }
KMUX_DEVICE KMUX_T KMUX_NAME(__high2, )(const KMUX_T2& a) { return a.y; }
KMUX_DEVICE KMUX_T2 KMUX_NAME(__low2, 2)(const KMUX_T2& a) { return {a.x, a.x}; }
KMUX_DEVICE KMUX_T2 KMUX_NAME(__high2, 2)(const KMUX_T2& a) { return {a.y, a.y}; }
KMUX_DEVICE KMUX_T2 KMUX_NAME(__lows2, 2)(const KMUX_T2& a, const KMUX_T2& b) { return {a.x, b.x}; }
KMUX_DEVICE KMUX_T2 KMUX_NAME(__highs2, 2)(const KMUX_T2& a, const KMUX_T2& b) { return {a.y, b.y}; }
KMUX_DEVICE KMUX_T2 __lowhigh2highlow(const KMUX_T2& a) { return {a.y, a.x}; }
KMUX_DEVICE KMUX_T2 KMUX_NAME(__halves2, 2)(const KMUX_T& a, const KMUX_T& b) { return {a, b}; }
KMUX_DEVICE KMUX_T2 KMUX_NAME(make_, 2)(const KMUX_T& a, const KMUX_T& b) { return {a, b}; }
KMUX_DEVICE KMUX_T2 KMUX_NAME(__float2, 2_rn)(float x) { return {KMUX_T(x), KMUX_T(x)}; }
KMUX_DEVICE KMUX_T2 KMUX_NAME(__floats2, 2_rn)(float x, float y) { return {KMUX_T(x), KMUX_T(y)}; }
KMUX_DEVICE KMUX_T2 KMUX_NAME(__float22, 2_rn)(float2 a) { return {KMUX_T(a.x), KMUX_T(a.y)}; }
KMUX_DEVICE float2 KMUX_NAME(__, 22float2)(const KMUX_T2& a) { return {kmux_float(a.x), kmux_float(a.y)}; }

#ifndef KMUX_HAS_OPERATORS
// Atomics, by comparison of the bits.
KMUX_DEVICE KMUX_T atomicAdd(KMUX_T* address, const KMUX_T& value) {
  auto* const bits = reinterpret_cast<unsigned short*>(address);
  return kmux_of_bits(
      kmux_update(bits, [=](unsigned short before) { return kmux_bits(__hadd(kmux_of_bits(before, value), value)); }),
      value);
}
KMUX_DEVICE KMUX_T2 atomicAdd(KMUX_T2* address, const KMUX_T2& value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
#endif
