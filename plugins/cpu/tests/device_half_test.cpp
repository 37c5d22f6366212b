// half and bfloat16 of dialect cuda, each operation compared with the exact result rounded once.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "device_call.h"
#include "rounded.h"

namespace kmux::cpu::device_half {
namespace {

using Bits = std::uint16_t;
using Three = std::array<Bits, 3>;

/// One of the two types: its names in CUDA, and the meaning of its bits.
struct Type {
  const char* type;
  const char* name;  // in the names of functions
  const char* header;
  NumberKind kind;
  int exponent_bits;

  double value(Bits bits) const {
    const int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = (bits & 0x7fff) >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
    const double sign = bits >> 15 != 0 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1)
      return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
    if (exponent == 0) return sign * std::ldexp(fraction, kind.least);
    return sign * std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  }
  // Replaces "HALF" in names and "TYPE" by this type's.
  std::string text(std::string source) const {
    for (const auto& [from, to] : {std::pair{"TYPE", type}, std::pair{"HALF", name}}) {
      for (std::size_t at = source.find(from); at != source.npos; at = source.find(from, at)) source.replace(at, 4, to);
    }
    return "#include <" + std::string(header) + ">\n" + source;
  }
};

const Type kTypes[] = {{"half", "half", "cuda_fp16.h", kHalf, 5},
                       {"__nv_bfloat16", "bfloat16", "cuda_bf16.h", kBfloat16, 8}};

std::vector<Three> numbers() {
  const Bits special[] = {0,      0x8000, 1,      0x8001, 0x3c00, 0xbc00, 0x3f80, 0x7bff, 0x7c00,
                          0xfc00, 0x7e00, 0x7f80, 0xff80, 0x7f7f, 0x7fff, 0x0400, 0x0080, 0x3555};
  std::vector<Three> all;
  for (const Bits a : special) {
    for (const Bits b : special) all.push_back({a, b, special[all.size() % std::size(special)]});
  }
  std::uint64_t state = 7;
  const auto next = [&] {
    return static_cast<Bits>((state = state * 6364136223846793005U + 1442695040888963407U) >> 40);
  };
  while (all.size() < 1500) {
    Three one{next(), next(), next()};
    if (all.size() % 2 == 0)
      one[1] = static_cast<Bits>((one[0] & 0x7f80) ^ (next() & 0x83ff));  // of about the same size
    if (all.size() % 3 == 0) one[2] = static_cast<Bits>((one[0] & 0xff00) ^ (next() & 0x80ff));
    all.push_back(one);
  }
  return all;
}

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

// Compares the results of `expressions` of a, b and c, as bits, with `wanted` of their values.
template <std::size_t n, class F>
void expect(const Type& type, const std::string& expressions, F wanted) {
  std::vector<Three> x = numbers();
  const auto is_nan = [&](Bits bits) { return std::isnan(type.value(bits)); };
  // Uses one NaN: of two NaNs a processor returns the first operand, and compilers choose the operand order.
  for (Three& three : x) std::ranges::replace_if(three, is_nan, Bits{0x7fff});
  const std::string size = std::to_string(n);
  const ElementKernel kernel{type.text(
      "struct In { unsigned short a, b, c; };\nstruct Out { unsigned short v[" + size +
      "]; };\n"
      "__global__ void k(const In* x, Out* y, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if "
      "(i >= n) return;\n"
      "  const TYPE a = __ushort_as_HALF(x[i].a), b = __ushort_as_HALF(x[i].b), c = __ushort_as_HALF(x[i].c);\n"
      "  const TYPE2 p(a, b), q(b, c), r(c, a);\n"
      "  const TYPE out[] = {" +
      expressions +
      "};\n"
      "  for (int j = 0; j < " +
      size + "; ++j) y[i].v[j] = __HALF_as_ushort(out[j]);\n}\n")};
  const auto y = elements<std::array<Bits, n>>(kernel, x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::array<double, n> expected = wanted(type.value(x[i][0]), type.value(x[i][1]), type.value(x[i][2]));
    for (std::size_t j = 0; j < n; ++j) {
      ASSERT_TRUE(same(type.value(y[i][j]), expected[j]))
          << type.type << " number " << j << " of " << type.value(x[i][0]) << ", " << type.value(x[i][1]) << ", "
          << type.value(x[i][2]) << " is " << type.value(y[i][j]) << ", not " << expected[j];
    }
  }
}

double saturated(double x) { return x > 0 ? std::min(x, 1.0) : 0; }

double fused(double a, double b, double c, const NumberKind& kind) {
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) return a * b + c;
  const Exact product = static_cast<Exact>(a) * b, sum = product + c;
  const Exact of_c = sum - product, error = (product - (sum - of_c)) + (c - of_c);
  return rounded(sum, error, kind);
}

TEST(DeviceHalfTest, ArithmeticIsRoundedOnce) {
  for (const Type& type : kTypes) {
    const auto round = [&](double x) { return rounded(x, 0, type.kind); };
    expect<14>(
        type,
        "a + b, a - b, a * b, a / b, __hadd(a, b), __hsub_sat(a, b), __hmul_rn(a, b), __hdiv(a, b), -a, __habs(b), "
        "__hfma(a, b, c), __hfma_sat(a, b, c), __hfma_relu(a, b, c), __hneg(c)",
        [&](double a, double b, double c) -> std::array<double, 14> {
          const double quotient = round(a / b), fma = fused(a, b, c, type.kind);
          return {
              round(a + b), round(a - b), round(a * b), quotient, round(a + b),   saturated(round(a - b)), round(a * b),
              quotient,     -a,           std::fabs(b), fma,      saturated(fma), fma < 0 ? 0 : fma,       -c};
        });
  }
}

TEST(DeviceHalfTest, PairsOperateElementwise) {
  for (const Type& type : kTypes) {
    const auto round = [&](double x) { return rounded(x, 0, type.kind); };
    expect<18>(type,
               "(p + q).x, (p - q).y, (p * q).x, (p / q).y, __hadd2(p, q).y, __hsub2(p, q).x, __hmul2(p, q).y, "
               "__h2div(p, q).x, "
               "__hfma2(p, q, r).x, __hfma2(p, q, r).y, __hneg2(p).x, __habs2(p).y, __low2HALF(p), __high2HALF(p), "
               "__lowhigh2highlow(p).x, __lows2HALF2(p, q).y, __highs2HALF2(p, q).x, __high2HALF2(p).x",
               [&](double a, double b, double c) -> std::array<double, 18> {
                 return {round(a + b),
                         round(b - c),
                         round(a * b),
                         round(b / c),
                         round(b + c),
                         round(a - b),
                         round(b * c),
                         round(a / b),
                         fused(a, b, c, type.kind),
                         fused(b, c, a, type.kind),
                         -a,
                         std::fabs(b),
                         a,
                         b,
                         b,
                         b,
                         b,
                         b};
               });
  }
}

TEST(DeviceHalfTest, ComparisonsAndExtremaMatchReference) {
  for (const Type& type : kTypes) {
    expect<20>(
        type,
        "a == b, a != b, a < b, a <= b, a > b, a >= b, __heq(a, b), __hne(a, b), __hneu(a, b), __hltu(a, b), __hgeu(a, "
        "b), "
        "__hmax(a, b), __hmin(a, b), __hmax_nan(a, b), __hmin_nan(a, b), __hisnan(a), __hisinf(b), __hlt2(p, q).y, "
        "__hbgt2(p, q), __hmax2(p, q).y",
        [&](double a, double b, double c) -> std::array<double, 20> {
          const bool none = std::isnan(a) || std::isnan(b);
          const double nan = std::nan("");
          return {double(a == b),
                  double(a != b),
                  double(a < b),
                  double(a <= b),
                  double(a > b),
                  double(a >= b),
                  double(a == b),
                  double(!none && a != b),
                  double(none || a != b),
                  double(none || a < b),
                  double(none || a >= b),
                  std::fmax(a, b),
                  std::fmin(a, b),
                  none ? nan : std::fmax(a, b),
                  none ? nan : std::fmin(a, b),
                  double(std::isnan(a)),
                  std::isinf(b) ? (b > 0 ? 1.0 : -1.0) : 0,
                  double(b < c),
                  double(a > b && b > c),
                  std::fmax(b, c)};
        });
  }
}

double inverse(double v) { return 1 / v; }
double inverse_root(double v) { return 1 / std::sqrt(v); }
double power_of_ten(double v) { return std::pow(10.0, v); }

TEST(DeviceHalfTest, MathFunctionsMatchReference) {
  for (const Type& type : kTypes) {
    const std::string names[] = {"ceil", "floor", "rint", "trunc", "sqrt",  "rcp", "rsqrt", "exp",
                                 "exp2", "exp10", "log",  "log2",  "log10", "sin", "cos"};
    std::string one, two;
    for (const std::string& name : names) one += "h" + name + "(a), ", two += "h2" + name + "(q).x, ";
    const std::vector<Three> x = numbers();
    const ElementKernel kernel{
        type.text("struct In { unsigned short a, b, c; };\nstruct Out { unsigned short v[30]; };\n"
                  "__global__ void k(const In* x, Out* y, int n) {\n  const int i = blockIdx.x * blockDim.x + "
                  "threadIdx.x;\n  if (i >= n) return;\n"
                  "  const TYPE a = __ushort_as_HALF(x[i].a), b = __ushort_as_HALF(x[i].b);\n  const TYPE2 q(b, a);\n"
                  "  const TYPE out[] = {" +
                  one + two +
                  "};\n"
                  "  for (int j = 0; j < 30; ++j) y[i].v[j] = __HALF_as_ushort(out[j]);\n}\n")};
    const auto plain = [&](std::array<Bits, 30>& all) {  // the NaN that an operation returns is unspecified
      for (Bits& bits : all) bits = std::isnan(type.value(bits)) ? 0x7fff : bits;
    };
    const auto y = elements<std::array<Bits, 30>>(kernel, x, plain);
    double (*const functions[])(double) = {std::ceil, std::floor,   std::nearbyint, std::trunc, std::sqrt,
                                           inverse,   inverse_root, std::exp,       std::exp2,  power_of_ten,
                                           std::log,  std::log2,    std::log10,     std::sin,   std::cos};
    for (std::size_t i = 0; i < y.size(); ++i) {
      for (std::size_t j = 0; j < 30; ++j) {
        const double of = type.value(x[i][j < 15 ? 0 : 1]), exact = functions[j % 15](of), got = type.value(y[i][j]);
        if (std::fabs(of) > 1000 && j % 15 > 12) continue;  // sines of large numbers are left to the math test
        const bool fits = same(got, rounded(exact * (1 - 1e-6), 0, type.kind)) ||
                          same(got, rounded(exact * (1 + 1e-6), 0, type.kind));
        ASSERT_TRUE(fits) << type.type << " " << names[j % 15] << "(" << of << ") is " << got << ", not " << exact;
      }
    }
  }
}

TEST(DeviceHalfTest, ConversionsHonorRoundingModes) {
  std::vector<double> x = {0,
                           -0.0,
                           1,
                           -1,
                           0.1,
                           65504,
                           65519.999,
                           65520,
                           -65520,
                           1e-8,
                           -1e-8,
                           2.98e-8,
                           5.9604644775390625e-8,
                           1e38,
                           -3.4e38,
                           3.39e38,
                           1e-40,
                           1e300,
                           -1e-300,
                           HUGE_VAL,
                           -HUGE_VAL,
                           1.0009765625,
                           1.00048828125,
                           1.00048828126,
                           1.00390625};
  std::uint64_t state = 3;
  while (x.size() < 2000) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    x.push_back(
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(state)), -63 + static_cast<int>(state % 41) - 24));
  }
  for (const Type& type : kTypes) {
    const ElementKernel kernel{type.text(R"(struct Out { unsigned short v[8]; };
__global__ void k(const double* x, Out* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float f = (float)x[i];
  const auto pair = __floats2HALF2_rn(f, -f);
  const TYPE out[] = {__float2HALF(f), __float2HALF_rn(f), __float2HALF_rz(f), __float2HALF_rd(f), __float2HALF_ru(f), __double2HALF(x[i]),
                      pair.y, __float22HALF2_rn(make_float2(1, f)).y};
  for (int j = 0; j < 8; ++j) y[i].v[j] = __HALF_as_ushort(out[j]);
})")};
    const auto y = elements<std::array<Bits, 8>>(kernel, x);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double of = static_cast<float>(x[i]), near = rounded(of, 0, type.kind);
      const auto value = [&](int j) { return type.value(y[i][static_cast<std::size_t>(j)]); };
      EXPECT_EQ(value(0), near) << of;
      EXPECT_EQ(value(1), near);
      EXPECT_EQ(value(5), rounded(x[i], 0, type.kind)) << x[i];
      EXPECT_EQ(value(6), -near);
      EXPECT_EQ(value(7), near);
      // The next number toward zero, downwards and upwards: they are adjacent, and the nearest is one of the two.
      const double down = value(3), up = value(4);
      EXPECT_LE(down, of);
      EXPECT_GE(up, of);
      EXPECT_TRUE(down == of ? up == of : down == near || up == near) << of << " between " << down << " and " << up;
      EXPECT_EQ(value(2), of < 0 ? up : down);
    }
  }
}

TEST(DeviceHalfTest, ConvertsToAndFromIntegers) {
  std::vector<std::int64_t> x = {0,
                                 1,
                                 -1,
                                 2047,
                                 2048,
                                 2049,
                                 2051,
                                 -2049,
                                 65504,
                                 65519,
                                 65520,
                                 70000,
                                 257,
                                 259,
                                 16777217,
                                 2147483647,
                                 -2147483648LL,
                                 4294967295LL,
                                 (1LL << 62) + 1,
                                 std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::int64_t>::min()};
  for (std::uint64_t v = 3; x.size() < 400; v = v * 7 + 1) {  // over all 64 bits
    x.push_back(static_cast<std::int64_t>(v)), x.push_back(static_cast<std::int64_t>(-v));
  }
  for (const Type& type : kTypes) {
    const ElementKernel kernel{type.text(R"(struct Out { unsigned short v[8]; long long back[5]; };
__global__ void k(const long long* x, Out* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long w = x[i];
  const TYPE h = __ll2HALF_rn(w);
  const TYPE out[] = {__int2HALF_rn((int)w), __uint2HALF_rn((unsigned)w), __short2HALF_rn((short)w), __ushort2HALF_rn((unsigned short)w),
                      h, __ull2HALF_rn((unsigned long long)w), __int2HALF_rz((int)w), TYPE((int)w)};
  for (int j = 0; j < 8; ++j) y[i].v[j] = __HALF_as_ushort(out[j]);
  const TYPE half_of = h * TYPE(0.5f);
  const long long back[] = {__HALF2int_rn(half_of), __HALF2uint_rz(half_of), __HALF2short_rd(half_of), __HALF2ll_ru(half_of), __HALF2ushort_rn(half_of)};
  for (int j = 0; j < 5; ++j) y[i].back[j] = back[j];
})")};
    struct Out {
      Bits v[8];
      std::int64_t back[5];
    };
    const auto y = elements<Out>(kernel, x);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto near = [&](Exact of) { return rounded(of, 0, type.kind); };
      const auto w = x[i];
      const double wanted[] = {near(static_cast<std::int32_t>(w)),
                               near(static_cast<std::uint32_t>(w)),
                               near(static_cast<std::int16_t>(w)),
                               near(static_cast<std::uint16_t>(w)),
                               near(w),
                               near(static_cast<std::uint64_t>(w))};
      for (int j = 0; j < 6; ++j) EXPECT_EQ(type.value(y[i].v[j]), wanted[j]) << type.type << " " << j << " of " << w;
      EXPECT_LE(std::fabs(type.value(y[i].v[6])), std::fabs(static_cast<double>(static_cast<std::int32_t>(w))));
      EXPECT_EQ(type.value(y[i].v[7]), wanted[0]);
      const double half = rounded(static_cast<Exact>(near(w)) / 2, 0, type.kind);
      const auto clamp = [](double v, double low, double high) { return v < low ? low : v > high ? high : v; };
      EXPECT_EQ(static_cast<double>(y[i].back[0]), clamp(std::nearbyint(half), -2147483648.0, 2147483647.0)) << half;
      EXPECT_EQ(static_cast<double>(y[i].back[1]), clamp(std::trunc(half), 0, 4294967295.0)) << half;
      EXPECT_EQ(static_cast<double>(y[i].back[2]), clamp(std::floor(half), -32768, 32767)) << half;
      EXPECT_EQ(static_cast<double>(y[i].back[3]),
                clamp(std::ceil(half), -9223372036854775808.0, 9223372036854775807.0))
          << half;
      EXPECT_EQ(static_cast<double>(y[i].back[4]), clamp(std::nearbyint(half), 0, 65535)) << half;
    }
  }
}

TEST(DeviceHalfTest, KernelsUseSharedTilesAndAtomicAdds) {
  for (const Type& type : kTypes) {
    const ElementKernel kernel{type.text(R"(__device__ TYPE twice(TYPE v) { TYPE w = v; w += v; ++w; w--; return w; }
struct Out { unsigned short v[4]; };
__global__ void k(const unsigned short* bits, Out* y, int n) {
  const TYPE* x = (const TYPE*)bits;
  __shared__ TYPE tile[64];
  __shared__ TYPE sum;
  __shared__ TYPE2 pair;
  tile[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x == 0) sum = TYPE(0.0f), pair = TYPE2(TYPE(0.0f), TYPE(1.0f));
  __syncthreads();
  atomicAdd(&sum, TYPE(1.0f));
  atomicAdd(&pair, TYPE2(TYPE(2.0f), TYPE(1.0f)));
  __syncthreads();
  y[threadIdx.x].v[0] = __HALF_as_ushort(twice(tile[63 - threadIdx.x]));
  y[threadIdx.x].v[1] = __HALF_as_ushort(sum);
  y[threadIdx.x].v[2] = __HALF_as_ushort(pair.x);
  y[threadIdx.x].v[3] = __HALF_as_ushort(pair.y);
})")};
    std::vector<Bits> x(64);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Bits>(0x3c00 + i);
    const auto y = elements<std::array<Bits, 4>>(kernel, x);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double v = type.value(x[63 - i]);
      const double more = rounded(v * 2 + 1, 0, type.kind);
      EXPECT_EQ(type.value(y[i][0]), rounded(more - 1, 0, type.kind));
      EXPECT_EQ(type.value(y[i][1]), 64);
      EXPECT_EQ(type.value(y[i][2]), 128);
      EXPECT_EQ(type.value(y[i][3]), 65);
    }
  }
}

}  // namespace
}  // namespace kmux::cpu::device_half
