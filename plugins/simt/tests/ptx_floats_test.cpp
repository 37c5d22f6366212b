// Instructions of PTX on numbers with a fraction, compared with the processor's rounding modes, with exact sums, and
// with a search among all numbers of a small format.
#include <algorithm>
#include <cfenv>
#include <cmath>

#include "ptx_code.h"

namespace kmux::simt {
namespace {

float f(u64 x) { return __builtin_bit_cast(float, w(x)); }
double d(u64 x) { return __builtin_bit_cast(double, x); }
u64 bits(float x) { return __builtin_bit_cast(u32, x); }
u64 bits(double x) { return __builtin_bit_cast(u64, x); }

bool is_same_float(u64 a, u64 b) { return a == b || (std::isnan(f(a)) && std::isnan(f(b)) && a >> 32 == b >> 32); }
bool is_same_double(u64 a, u64 b) { return a == b || (std::isnan(d(a)) && std::isnan(d(b))); }

// Returns the result of `compute` by the processor in a rounding mode.
template <class F>
u64 in_mode(int mode, F compute) {
  std::fesetround(mode);
  volatile float result = compute();
  std::fesetround(FE_TONEAREST);
  return bits(static_cast<float>(result));
}
float added(float a, float b) {
  volatile float x = a, y = b;
  return x + y;
}
float multiplied(float a, float b) {
  volatile float x = a, y = b;
  return x * y;
}
float fused(float a, float b, float c) {
  volatile float x = a, y = b, z = c;
  return std::fma(x, y, z);
}
float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; }
float saturate(float x) { return std::isnan(x) ? 0 : std::clamp(x, 0.0F, 1.0F) + 0.0F; }

TEST(PtxFloatsTest, ComputeSumsInEachRoundingMode) {
  expect_values(
      {
          PTX("add.f32 $0, $1, $2;", "float float float", bits(f(x[0]) + f(x[1]))),
          PTX("add.rz.f32 $0, $1, $2;", "float float float",
              in_mode(FE_TOWARDZERO, [&] { return added(f(x[0]), f(x[1])); })),
          PTX("add.rm.f32 $0, $1, $2;", "float float float",
              in_mode(FE_DOWNWARD, [&] { return added(f(x[0]), f(x[1])); })),
          PTX("sub.rp.f32 $0, $1, $2;", "float float float",
              in_mode(FE_UPWARD, [&] { return added(f(x[0]), -f(x[1])); })),
          PTX("mul.rz.f32 $0, $1, $2;", "float float float",
              in_mode(FE_TOWARDZERO, [&] { return multiplied(f(x[0]), f(x[1])); })),
          PTX("mul.rm.f32 $0, $1, $2;", "float float float",
              in_mode(FE_DOWNWARD, [&] { return multiplied(f(x[0]), f(x[1])); })),
          PTX("mul.rp.f32 $0, $1, $2;", "float float float",
              in_mode(FE_UPWARD, [&] { return multiplied(f(x[0]), f(x[1])); })),
          PTX("fma.rz.f32 $0, $1, $2, $3;", "float float float float",
              in_mode(FE_TOWARDZERO, [&] { return fused(f(x[0]), f(x[1]), f(x[2])); })),
          PTX("fma.rm.f32 $0, $1, $2, $3;", "float float float float",
              in_mode(FE_DOWNWARD, [&] { return fused(f(x[0]), f(x[1]), f(x[2])); })),
          PTX("fma.rp.f32 $0, $1, $2, $3;", "float float float float",
              in_mode(FE_UPWARD, [&] { return fused(f(x[0]), f(x[1]), f(x[2])); })),
          PTX("fma.rn.f32 $0, $1, $2, $3;", "float float float float", bits(std::fma(f(x[0]), f(x[1]), f(x[2])))),
          PTX("add.ftz.f32 $0, $1, $2;", "float float float", bits(flush(flush(f(x[0])) + flush(f(x[1]))))),
          PTX("mul.rn.ftz.sat.f32 $0, $1, $2;", "float float float",
              bits(saturate(flush(flush(f(x[0])) * flush(f(x[1])))))),
          PTX("add.sat.f32 $0, $1, 0f3F000000;", "float float", bits(saturate(f(x[0]) + 0.5F))),
          PTX("div.rn.f32 $0, $1, $2;", "float float float", bits(f(x[0]) / f(x[1]))),
          PTX("sqrt.rn.f32 $0, $1;", "float float", bits(std::sqrt(f(x[0])))),
          PTX("rcp.rn.ftz.f32 $0, $1;", "float float", bits(flush(1 / flush(f(x[0]))))),
          PTX("div.approx.f32 $0, $1, $2;", "float float float",
              bits(std::fabs(f(x[1])) > 0x1p126F && !std::isinf(f(x[1]))
                       ? f(x[0]) * 0 * (std::signbit(f(x[1])) ? -1.0F : 1.0F)
                       : f(x[0]) / f(x[1]))),
      },
      2000, is_same_float);
  expect_values(
      {PTX("fma.rn.f64 $0, $1, $2, $3;", "double double double double", bits(std::fma(d(x[0]), d(x[1]), d(x[2])))),
       PTX("sub.f64 $0, $1, $2;", "double double double", bits(d(x[0]) - d(x[1])))},
      1000, is_same_double);
}

template <class T>
T least(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
}
template <class T>
T most(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
}
u64 canonical(float x) { return std::isnan(x) ? 0x7fffffff : bits(x); }

TEST(PtxFloatsTest, ComputeExtremesAndSigns) {
  expect_values({
      PTX("min.f32 $0, $1, $2;", "float float float",
          std::isnan(f(x[0])) && std::isnan(f(x[1])) ? 0x7fffffff : bits(least(f(x[0]), f(x[1])))),
      PTX("max.ftz.f32 $0, $1, $2;", "float float float", canonical(most(flush(f(x[0])), flush(f(x[1]))))),
      PTX("max.NaN.f32 $0, $1, $2;", "float float float",
          std::isnan(f(x[0]) + f(x[1])) && (std::isnan(f(x[0])) || std::isnan(f(x[1]))) ? 0x7fffffff
                                                                                        : bits(most(f(x[0]), f(x[1])))),
      PTX("min.xorsign.abs.f32 $0, $1, $2;", "float float float",
          (canonical(least(std::fabs(f(x[0])), std::fabs(f(x[1])))) & 0x7fffffff) | ((x[0] ^ x[1]) & 0x80000000)),
      PTX("neg.f32 $0, $1;", "float float", w(x[0]) ^ 0x80000000U),
      PTX("abs.f64 $0, $1;", "double double", x[0] & ~0ULL >> 1),
      PTX("copysign.f32 $0, $1, $2;", "float float float", (x[0] & 0x80000000) | (x[1] & 0x7fffffff)),
      PTX("{ .reg .pred p; setp.ltu.f32 p, $1, $2; selp.b32 $0, 1, 0, p; }", "i32 float float", !(f(x[0]) >= f(x[1]))),
      PTX("{ .reg .pred p; setp.ne.ftz.f32 p, $1, $2; selp.b32 $0, 1, 0, p; }", "i32 float float",
          flush(f(x[0])) < flush(f(x[1])) || flush(f(x[0])) > flush(f(x[1]))),
      PTX("{ .reg .pred p; setp.nan.f64 p, $1, $2; selp.b32 $0, 1, 0, p; }", "i32 double double",
          std::isnan(d(x[0])) || std::isnan(d(x[1]))),
      PTX("{ .reg .pred p; testp.subnormal.f32 p, $1; selp.b32 $0, 1, 0, p; }", "i32 float",
          std::fpclassify(f(x[0])) == FP_SUBNORMAL),
      PTX("set.gt.f32.f32 $0, $1, $2;", "float float float", bits(f(x[0]) > f(x[1]) ? 1.0F : 0.0F)),
  });
}

TEST(PtxFloatsTest, ApproximateWithinTheBoundsOfPtx) {
  const auto is_near = [](u64 a, u64 b) {
    return is_same_float(a, b) || std::fabs(f(a) - f(b)) <= 0x1p-21F * std::fabs(f(b)) + 0x1p-126F;
  };
  expect_values(
      {
          PTX("ex2.approx.ftz.f32 $0, $1;", "float float", bits(flush(std::exp2(flush(f(x[0])))))),
          PTX("lg2.approx.f32 $0, $1;", "float float", bits(std::log2(f(x[0])))),
          PTX("rsqrt.approx.f32 $0, $1;", "float float",
              bits(static_cast<float>(1 / std::sqrt(static_cast<double>(f(x[0])))))),
          PTX("sqrt.approx.f32 $0, $1;", "float float", bits(std::sqrt(f(x[0])))),
          PTX("rcp.approx.f32 $0, $1;", "float float", bits(1 / f(x[0]))),
          PTX("div.full.f32 $0, $1, $2;", "float float float", bits(f(x[0]) / f(x[1]))),
          PTX("tanh.approx.f32 $0, $1;", "float float", bits(std::tanh(f(x[0])))),
          PTX("sin.approx.f32 $0, $1;", "float float", bits(std::sin(f(x[0])))),
          PTX("cos.approx.f32 $0, $1;", "float float", bits(std::cos(f(x[0])))),
      },
      500, is_near);
}

// A format of 8 or 16 bits: numbers are looked up among all of its numbers.
struct Format {
  int exponent_bits, mantissa_bits;
  u64 most;  // the largest finite number
  u64 nan;
  bool has_infinity = true;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  u64 sign() const { return u64{1} << (exponent_bits + mantissa_bits); }
  bool is_nan(u64 code) const { return (code & (sign() - 1)) > most + (has_infinity ? 1 : 0); }
  // The magnitude, with a number in place of infinity: what the next exponent would be.
  long double magnitude(u64 code) const {
    const auto exponent = static_cast<int>(code >> mantissa_bits);
    const auto mantissa = static_cast<long double>(code & ((u64{1} << mantissa_bits) - 1));
    if (exponent == 0) return std::ldexp(mantissa, 1 - bias() - mantissa_bits);
    return std::ldexp(mantissa + std::ldexp(1.0L, mantissa_bits), exponent - bias() - mantissa_bits);
  }
  float value(u64 code) const {
    if (is_nan(code)) return NAN;
    const u64 absolute = code & (sign() - 1);
    const float size = absolute > most ? INFINITY : static_cast<float>(magnitude(absolute));
    return (code & sign()) != 0 ? -size : size;
  }
  // Rounds to nearest even, or toward zero. Without infinity, what is too large becomes the largest number.
  u64 code(long double x, bool is_toward_zero = false) const {
    if (std::isnan(x)) return nan;
    const u64 has_sign = std::signbit(x) ? sign() : 0;
    const long double size = std::fabs(x);
    const u64 last = most + (has_infinity ? 1 : 0);
    if (std::isinf(x)) return has_sign | last;
    u64 low = 0, high = last + 1;
    while (high - low > 1) {
      const u64 middle = (low + high) / 2;
      (magnitude(middle) <= size ? low : high) = middle;
    }
    if (low == last) return has_sign | (is_toward_zero ? most : last);
    const long double below = size - magnitude(low), above = magnitude(low + 1) - size;
    const bool is_up = !is_toward_zero && (above < below || (above == below && low % 2 == 1));
    return has_sign | std::min(last, low + (is_up ? 1 : 0));
  }
};
constexpr Format kHalf{5, 10, 0x7bff, 0x7fff}, kBfloat{8, 7, 0x7f7f, 0x7fff}, kE4m3{4, 3, 0x7e, 0x7f, false};
constexpr Format kE5m2{5, 2, 0x7b, 0x7f, false};

float h(u64 x, int k = 0) { return kHalf.value(x >> (16 * k) & 0xffff); }
float b(u64 x, int k = 0) { return kBfloat.value(x >> (16 * k) & 0xffff); }
template <class F>
u64 two(const Format& format, F element) {
  return format.code(element(0)) | format.code(element(1)) << 16;
}
// Rounds a float that may be NaN once.
u64 relu16(u64 code) { return (code & 0x8000) != 0 ? 0 : code; }
long double fused16(float a, float b, float c) {
  if (std::isfinite(a) && std::isfinite(b) && std::isfinite(c)) return static_cast<long double>(a) * b + c;
  return std::fma(a, b, c);
}

TEST(PtxFloatsTest, ComputeHalves) {
  expect_values({
      PTX("add.f16 $0, $1, $2;", "i16 i16 i16", kHalf.code(h(x[0]) + h(x[1]))),
      PTX("mul.rn.bf16 $0, $1, $2;", "i16 i16 i16", kBfloat.code(b(x[0]) * b(x[1]))),
      PTX("sub.f16x2 $0, $1, $2;", "i32 i32 i32", two(kHalf, [&](int k) { return h(x[0], k) - h(x[1], k); })),
      PTX("add.rn.bf16x2 $0, $1, $2;", "i32 i32 i32", two(kBfloat, [&](int k) { return b(x[0], k) + b(x[1], k); })),
      PTX("mul.sat.f16x2 $0, $1, $2;", "i32 i32 i32",
          two(kHalf, [&](int k) { return saturate(h(x[0], k) * h(x[1], k)); })),
      PTX("fma.rn.f16x2 $0, $1, $2, $3;", "i32 i32 i32 i32",
          two(kHalf, [&](int k) { return fused16(h(x[0], k), h(x[1], k), h(x[2], k)); })),
      PTX("fma.rn.bf16x2 $0, $1, $2, $3;", "i32 i32 i32 i32",
          two(kBfloat, [&](int k) { return fused16(b(x[0], k), b(x[1], k), b(x[2], k)); })),
      PTX("fma.rn.relu.f16 $0, $1, $2, $3;", "i16 i16 i16 i16", relu16(kHalf.code(fused16(h(x[0]), h(x[1]), h(x[2]))))),
      PTX("max.f16x2 $0, $1, $2;", "i32 i32 i32", two(kHalf, [&](int k) { return most(h(x[0], k), h(x[1], k)); })),
      PTX("min.NaN.bf16x2 $0, $1, $2;", "i32 i32 i32",
          two(kBfloat,
              [&](int k) {
                return std::isnan(b(x[0], k)) || std::isnan(b(x[1], k)) ? NAN : least(b(x[0], k), b(x[1], k));
              })),
      PTX("neg.f16x2 $0, $1;", "i32 i32", w(x[0]) ^ 0x80008000U),
      PTX("abs.bf16 $0, $1;", "i16 i16", x[0] & 0x7fff),
      PTX("{ .reg .pred p, q; setp.lt.f16x2 p|q, $1, $2; selp.b32 $0, 1, 0, p; @q add.u32 $0, $0, 2; }", "i32 i32 i32",
          (h(x[0]) < h(x[1]) ? 1U : 0U) + (h(x[0], 1) < h(x[1], 1) ? 2U : 0U)),
  });
  expect_values({PTX("ex2.approx.f16x2 $0, $1;", "i32 i32", two(kHalf, [&](int k) { return std::exp2(h(x[0], k)); })),
                 PTX("tanh.approx.bf16 $0, $1;", "i16 i16", kBfloat.code(std::tanh(b(x[0]))))},
                600, [](u64 found, u64 right) {
                  return std::abs(static_cast<int>(found & 0xffff) - static_cast<int>(right & 0xffff)) <= 1 &&
                         std::abs(static_cast<int>(found >> 16) - static_cast<int>(right >> 16)) <= 1;
                });
}

// Conversions to integers, by the table of NaN in the PTX ISA.
template <class T>
u64 integer(double x, bool is_wide) {
  const u64 mask = sizeof(T) == 8 ? ~0ULL : (u64{1} << (8 * sizeof(T) % 64)) - 1;
  if (std::isnan(x)) return is_wide ? u64{1} << (8 * sizeof(T) - 1) : 0;
  const long double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return static_cast<u64>(static_cast<T>(std::clamp<long double>(x, low, high))) & mask;
}

TEST(PtxFloatsTest, ConvertToAndFromIntegers) {
  expect_values({
      PTX("cvt.rzi.s32.f32 $0, $1;", "i32 float", integer<std::int32_t>(std::trunc(f(x[0])), false)),
      PTX("cvt.rni.u32.f32 $0, $1;", "i32 float", integer<u32>(std::nearbyint(f(x[0])), false)),
      PTX("cvt.rmi.s64.f32 $0, $1;", "i64 float", integer<std::int64_t>(std::floor(f(x[0])), true)),
      PTX("cvt.rpi.u64.f64 $0, $1;", "i64 double", integer<u64>(std::ceil(d(x[0])), true)),
      PTX("cvt.rzi.s32.f64 $0, $1;", "i32 double", integer<std::int32_t>(std::trunc(d(x[0])), true)),
      PTX("cvt.rni.s16.f32 $0, $1;", "i16 float", integer<std::int16_t>(std::nearbyint(f(x[0])), false)),
      PTX("cvt.rni.sat.u8.f32 $0, $1;", "i32 float", integer<std::uint8_t>(std::nearbyint(f(x[0])), false)),
      PTX("cvt.rzi.s32.f16 $0, $1;", "i32 i16", integer<std::int32_t>(std::trunc(h(x[0])), false)),
      PTX("cvt.rn.f32.s32 $0, $1;", "float i32", bits(static_cast<float>(static_cast<std::int32_t>(x[0])))),
      PTX("cvt.rz.f32.u32 $0, $1;", "float i32",
          in_mode(FE_TOWARDZERO,
                  [&] {
                    volatile double v = w(x[0]);
                    return static_cast<float>(v);
                  })),
      PTX("cvt.rn.f64.u64 $0, $1;", "double i64", bits(static_cast<double>(x[0]))),
      PTX("cvt.rn.f16.s32 $0, $1;", "i16 i32", kHalf.code(static_cast<std::int32_t>(x[0]))),
      PTX("cvt.rn.f16.u64 $0, $1;", "i16 i64", kHalf.code(static_cast<long double>(x[0]))),
      PTX("cvt.rz.bf16.u32 $0, $1;", "i16 i32", kBfloat.code(w(x[0]), true)),
  });
}

// Rounds to 10 bits of fraction, ties away from zero.
u64 tf32(u64 x) {
  if (std::isnan(f(x))) return 0x7fffffff;
  if (std::isinf(f(x))) return w(x);
  return (w(x) & 0x80000000) | (((x & 0x7fffffff) + 0x1000) & 0x7fffe000);
}

TEST(PtxFloatsTest, ConvertNumbers) {
  expect_values({
      PTX("cvt.rn.f16.f32 $0, $1;", "i16 float", kHalf.code(f(x[0]))),
      PTX("cvt.rz.f16.f32 $0, $1;", "i16 float", kHalf.code(f(x[0]), true)),
      PTX("cvt.rn.bf16.f32 $0, $1;", "i16 float", kBfloat.code(f(x[0]))),
      PTX("cvt.rn.f16.f64 $0, $1;", "i16 double", kHalf.code(d(x[0]))),
      PTX("cvt.rn.bf16.f64 $0, $1;", "i16 double", kBfloat.code(d(x[0]))),
      PTX("cvt.rn.bf16.f16 $0, $1;", "i16 i16", kBfloat.code(h(x[0]))),
      PTX("cvt.rn.f16x2.f32 $0, $1, $2;", "i32 float float", kHalf.code(f(x[0])) << 16 | kHalf.code(f(x[1]))),
      PTX("cvt.rn.relu.bf16x2.f32 $0, $1, $2;", "i32 float float",
          relu16(kBfloat.code(f(x[0]))) << 16 | relu16(kBfloat.code(f(x[1])))),
      PTX("cvt.rz.bf16x2.f32 $0, $1, $2;", "i32 float float",
          kBfloat.code(f(x[0]), true) << 16 | kBfloat.code(f(x[1]), true)),
      PTX("cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "i16 float float", kE4m3.code(f(x[0])) << 8 | kE4m3.code(f(x[1]))),
      PTX("cvt.rn.satfinite.e5m2x2.f32 $0, $1, $2;", "i16 float float", kE5m2.code(f(x[0])) << 8 | kE5m2.code(f(x[1]))),
      PTX("cvt.rn.satfinite.e4m3x2.f16x2 $0, $1;", "i16 i32", kE4m3.code(h(x[0], 1)) << 8 | kE4m3.code(h(x[0]))),
      PTX("cvt.rna.tf32.f32 $0, $1;", "i32 float", tf32(x[0])),
      PTX("cvt.rni.f32.f32 $0, $1;", "float float",
          std::isnan(f(x[0])) ? w(x[0]) | 0x400000 : bits(std::nearbyint(f(x[0])))),
      PTX("cvt.sat.f32.f32 $0, $1;", "float float", bits(saturate(f(x[0])))),
  });
  expect_values(
      {
          PTX("cvt.f32.f16 $0, $1;", "float i16", bits(h(x[0]))),
          PTX("cvt.f32.bf16 $0, $1;", "float i16", bits(b(x[0]))),
          PTX("cvt.rn.ftz.f32.f64 $0, $1;", "float double", bits(flush(static_cast<float>(d(x[0]))))),
          PTX("cvt.rp.f32.f64 $0, $1;", "float double",
              in_mode(FE_UPWARD,
                      [&] {
                        volatile double v = d(x[0]);
                        return static_cast<float>(v);
                      })),
      },
      600, is_same_float);
}

TEST(PtxFloatsTest, ConvertEveryNumberOfFp8) {
  const PtxCode code({{"cvt.rn.f16x2.e4m3x2 $0, $1;", "i32 i16", {}}, {"cvt.rn.f16x2.e5m2x2 $0, $1;", "i32 i16", {}}});
  ASSERT_TRUE(code.is_compiled());
  for (u64 x = 0; x < 65536; ++x) {
    const auto e4m3 = [](u64 one) { return (one & 127) == 127 ? u64{0x7fff} : kHalf.code(kE4m3.value(one)); };
    const auto e5m2 = [](u64 one) { return (one & 127) > 0x7c ? u64{0x7fff} : one << 8; };
    ASSERT_EQ(code(0, {x, 0, 0, 0}), e4m3(x & 255) | e4m3(x >> 8) << 16) << x;
    ASSERT_EQ(code(1, {x, 0, 0, 0}), e5m2(x & 255) | e5m2(x >> 8) << 16) << x;
  }
}

}  // namespace
}  // namespace kmux::simt
