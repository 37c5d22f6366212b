// Conversions and arithmetic in every rounding direction, compared with this processor's results in that direction.
#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "device_call.h"

namespace kmux::cpu::device_conversions {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// Returns the result of `compute` in rounding mode `mode`. Operands must come from memory, so that it is not folded
// earlier.
template <class F>
auto in_direction(int mode, F compute) {
  std::fesetround(mode);
  const auto result = compute();
  std::fesetround(FE_TONEAREST);
  return result;
}

constexpr std::array kModes = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

template <class F>
bool same(F a, F b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0;  // the sign of a zero, too
}

template <class F>
std::vector<std::array<F, 3>> numbers() {
  using Limits = std::numeric_limits<F>;
  const F special[] = {0,
                       -F(0),
                       1,
                       -1,
                       F(0.1),
                       F(-0.1),
                       Limits::max(),
                       Limits::lowest(),
                       Limits::min(),
                       -Limits::min(),
                       Limits::denorm_min(),
                       -Limits::denorm_min(),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       3,
                       Limits::epsilon(),
                       1 + Limits::epsilon(),
                       F(1e20),
                       F(-1e-30)};
  std::vector<std::array<F, 3>> all;
  for (const F a : special) {
    for (const F b : special) all.push_back({a, b, special[(all.size() * 7) % std::size(special)]});
  }
  std::uint64_t state = 11;
  const auto next = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const F mantissa = static_cast<F>(static_cast<std::int64_t>(state)) / F(9.3e18);
    return std::ldexp(mantissa, static_cast<int>((state >> 13) % (all.size() % 2 == 0 ? 8 : 200)) - 40);
  };
  while (all.size() < 2000) {
    std::array<F, 3> one = {next(), next(), next()};
    if (all.size() % 5 == 0) one[1] = -one[0] * (1 + Limits::epsilon() * F(all.size() % 3));
    if (all.size() % 7 == 0) one[2] = -one[0] * one[1];
    all.push_back(one);
  }
  return all;
}

template <class F, std::size_t n, class W>
void expect(const std::string& type, const std::string& names, W wanted) {
  const auto x = numbers<F>();
  const std::string size = std::to_string(n);
  const ElementKernel kernel{
      "struct In { " + type + " a, b, c; };\nstruct Out { " + type + " v[" + size +
      "]; };\n"
      "__global__ void k(const In* x, Out* y, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= n) return;\n  const " +
      type +
      " a = x[i].a, b = x[i].b, c = x[i].c;\n"
      "  const " +
      type + " out[] = {" + names +
      "};\n"
      "  for (int j = 0; j < " +
      size + "; ++j) y[i].v[j] = out[j];\n}\n"};
  const auto y = elements<std::array<F, n>>(kernel, x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    volatile F a = x[i][0], b = x[i][1], c = x[i][2];
    const std::array<F, n> expected = wanted(a, b, c);
    for (std::size_t j = 0; j < n; ++j) {
      ASSERT_TRUE(same(y[i][j], expected[j])) << "number " << j << " of " << std::hexfloat << x[i][0] << ", " << x[i][1]
                                              << ", " << x[i][2] << " is " << y[i][j] << ", not " << expected[j] << "\n"
                                              << names;
    }
  }
}

std::string in_all(const std::string& names) {
  std::string all;
  for (const char* const mode : {"rn", "rz", "rd", "ru"}) {
    std::string text = names;
    for (std::size_t at = text.find("##"); at != text.npos; at = text.find("##", at)) text.replace(at, 2, mode);
    all += (all.empty() ? "" : ", ") + text;
  }
  return all;
}

TEST(DeviceConversionsTest, FloatArithmeticHonorsRoundingModes) {
  expect<float, 28>("float",
                    in_all("__fadd_##(a, b), __fsub_##(a, b), __fmul_##(a, b), __fdiv_##(a, b), __frcp_##(a), "
                           "__fsqrt_##(a), __fmaf_##(a, b, c)"),
                    [](volatile float& a, volatile float& b, volatile float& c) {
                      std::array<float, 28> all{};
                      for (std::size_t m = 0; m < 4; ++m) {
                        const auto set = [&](std::size_t at, auto compute) {
                          all[m * 7 + at] = in_direction(kModes[m], compute);
                        };
                        set(0, [&] {
                          volatile float r = a + b;
                          return float(r);
                        });
                        set(1, [&] {
                          volatile float r = a - b;
                          return float(r);
                        });
                        set(2, [&] {
                          volatile float r = a * b;
                          return float(r);
                        });
                        set(3, [&] {
                          volatile float r = a / b;
                          return float(r);
                        });
                        set(4, [&] {
                          volatile float one = 1;
                          volatile float r = one / a;
                          return float(r);
                        });
                        set(5, [&] {
                          volatile float r = std::sqrt(float(a));
                          return float(r);
                        });
                        set(6, [&] {
                          volatile float r = std::fma(float(a), float(b), float(c));
                          return float(r);
                        });
                      }
                      return all;
                    });
}

TEST(DeviceConversionsTest, DoubleArithmeticHonorsRoundingModes) {
  expect<double, 28>("double",
                     in_all("__dadd_##(a, b), __dsub_##(a, b), __dmul_##(a, b), __ddiv_##(a, b), __drcp_##(a), "
                            "__dsqrt_##(a), __fma_##(a, b, c)"),
                     [](volatile double& a, volatile double& b, volatile double& c) {
                       std::array<double, 28> all{};
                       for (std::size_t m = 0; m < 4; ++m) {
                         const auto set = [&](std::size_t at, auto compute) {
                           all[m * 7 + at] = in_direction(kModes[m], compute);
                         };
                         volatile double one = 1;
                         set(0, [&] { return a + b; });
                         set(1, [&] { return a - b; });
                         set(2, [&] { return a * b; });
                         set(3, [&] { return a / b; });
                         set(4, [&] { return one / a; });
                         set(5, [&] { return std::sqrt(double(a)); });
                         set(6, [&] { return std::fma(double(a), double(b), double(c)); });
                       }
                       return all;
                     });
}

TEST(DeviceConversionsTest, DoubleToFloatAndFastMathMatchReference) {
  const auto x = numbers<double>();
  const ElementKernel kernel{
      "struct In { double a, b, c; };\nstruct Out { float v[8]; };\n__global__ void k(const In* x, Out* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  const double a = x[i].a;\n"
      "  const float f = (float)a, g = (float)x[i].b;\n"
      "  const float out[] = {" +
      in_all("__double2float_##(a)") +
      ", __saturatef(f), __fdividef(f, g), fdividef(f, g), __frsqrt_rn(f)};\n"
      "  for (int j = 0; j < 8; ++j) y[i].v[j] = out[j];\n}\n"};
  const auto y = elements<std::array<float, 8>>(kernel, x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    volatile double a = x[i][0];
    for (std::size_t m = 0; m < 4; ++m) {
      const float wanted = in_direction(kModes[m], [&] {
        volatile float r = static_cast<float>(a);
        return float(r);
      });
      EXPECT_TRUE(same(y[i][m], wanted)) << a << " in direction " << m << ": " << y[i][m] << ", not " << wanted;
    }
    const float f = static_cast<float>(x[i][0]), g = static_cast<float>(x[i][1]);
    EXPECT_EQ(y[i][4], f > 0 ? std::min(f, 1.0F) : 0);
    EXPECT_TRUE(same(y[i][5], f / g) || (f / g != f / g && y[i][5] != y[i][5]));
    EXPECT_TRUE(same(y[i][6], f / g));
    EXPECT_TRUE(same(y[i][7], static_cast<float>(1 / std::sqrt(static_cast<long double>(f)))));
  }
}

// Returns the integer nearest to `x` in a direction, saturated; for NaN the result of PTX's rule.
template <class I, class F>
I whole(F x, std::size_t mode) {
  if (std::isnan(x))
    return sizeof(F) == 4 && sizeof(I) == 4 ? I(0) : static_cast<I>(std::uint64_t{1} << (8 * sizeof(I) - 1));
  const long double r = mode == 0   ? std::nearbyint(static_cast<long double>(x))
                        : mode == 1 ? std::trunc(static_cast<long double>(x))
                        : mode == 2 ? std::floor(static_cast<long double>(x))
                                    : std::ceil(static_cast<long double>(x));
  if (r >= static_cast<long double>(std::numeric_limits<I>::max())) return std::numeric_limits<I>::max();
  if (r <= static_cast<long double>(std::numeric_limits<I>::min())) return std::numeric_limits<I>::min();
  return static_cast<I>(r);
}

template <class F>
void expect_integers(const std::string& type) {
  std::vector<F> x = {F(0.5),           F(1.5),          F(2.5),    F(-0.5),    F(-1.5),   F(2147483648.0),
                      F(-2147483648.0), F(4294967296.0), F(9.3e18), F(-9.3e18), F(1.9e19), F(2147483520.0)};
  for (const auto& three : numbers<F>()) x.push_back(three[0] * 1000);
  for (int i = -60; i < 60; ++i) x.push_back(F(i) / 4);
  const ElementKernel kernel{
      "struct Out { int a[4]; unsigned b[4]; long long c[4]; unsigned long long d[4]; };\n"
      "__global__ void k(const " +
      type +
      "* x, Out* y, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= n) return;\n  const " +
      type +
      " v = x[i];\n"
      "  y[i] = Out{{" +
      in_all("__" + type + "2int_##(v)") + "}, {" + in_all("__" + type + "2uint_##(v)") + "}, {" +
      in_all("__" + type + "2ll_##(v)") + "}, {" + in_all("__" + type + "2ull_##(v)") + "}};\n}\n"};
  struct Out {
    std::int32_t a[4];
    std::uint32_t b[4];
    std::int64_t c[4];
    std::uint64_t d[4];
  };
  const auto y = elements<Out>(kernel, x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t m = 0; m < 4; ++m) {
      EXPECT_EQ(y[i].a[m], (whole<std::int32_t>(x[i], m))) << type << " " << x[i] << " direction " << m;
      EXPECT_EQ(y[i].b[m], (whole<std::uint32_t>(x[i], m))) << type << " " << x[i] << " direction " << m;
      EXPECT_EQ(y[i].c[m], (whole<std::int64_t>(x[i], m))) << type << " " << x[i] << " direction " << m;
      EXPECT_EQ(y[i].d[m], (whole<std::uint64_t>(x[i], m))) << type << " " << x[i] << " direction " << m;
    }
  }
}

TEST(DeviceConversionsTest, FloatingPointConvertsToIntegers) {
  expect_integers<float>("float");
  expect_integers<double>("double");
}

TEST(DeviceConversionsTest, IntegersConvertToFloatingPoint) {
  std::vector<std::int64_t> x = {0,
                                 1,
                                 -1,
                                 16777216,
                                 16777217,
                                 -16777219,
                                 33554431,
                                 2147483647,
                                 -2147483648LL,
                                 4294967295LL,
                                 9007199254740993LL,
                                 std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::int64_t>::min(),
                                 -9007199254740995LL};
  std::uint64_t state = 5;
  while (x.size() < 1000) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    x.push_back(static_cast<std::int64_t>(state) >> (x.size() % 60));
  }
  const ElementKernel kernel{
      "struct Out { float a[4], b[4], c[4], d[4]; double e[4], f[4], g, h; };\n"
      "__global__ void k(const long long* x, Out* y, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= n) return;\n  const long long v = x[i];\n  const int s = (int)v;\n  const unsigned u = (unsigned)v;\n"
      "  const unsigned long long w = (unsigned long long)v;\n"
      "  y[i] = Out{{" +
      in_all("__int2float_##(s)") + "}, {" + in_all("__uint2float_##(u)") + "}, {" + in_all("__ll2float_##(v)") +
      "}, {" + in_all("__ull2float_##(w)") + "}, {" + in_all("__ll2double_##(v)") + "}, {" +
      in_all("__ull2double_##(w)") + "}, __int2double_rn(s), __uint2double_rn(u)};\n}\n"};
  struct Out {
    float a[4], b[4], c[4], d[4];
    double e[4], f[4], g, h;
  };
  const auto y = elements<Out>(kernel, x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    volatile long double v = static_cast<long double>(x[i]),
                         w = static_cast<long double>(static_cast<std::uint64_t>(x[i]));
    const auto s = static_cast<std::int32_t>(x[i]);
    const auto u = static_cast<std::uint32_t>(x[i]);
    volatile double of_s = s, of_u = u;
    for (std::size_t m = 0; m < 4; ++m) {
      const auto as_float = [&](auto& from) {
        return in_direction(kModes[m], [&] {
          volatile float r = static_cast<float>(from);
          return float(r);
        });
      };
      const auto as_double = [&](auto& from) {
        return in_direction(kModes[m], [&] {
          volatile double r = static_cast<double>(from);
          return double(r);
        });
      };
      EXPECT_EQ(y[i].a[m], as_float(of_s)) << s << " direction " << m;
      EXPECT_EQ(y[i].b[m], as_float(of_u)) << u << " direction " << m;
      EXPECT_EQ(y[i].c[m], as_float(v)) << x[i] << " direction " << m;
      EXPECT_EQ(y[i].d[m], as_float(w)) << x[i] << " direction " << m;
      EXPECT_EQ(y[i].e[m], as_double(v)) << x[i] << " direction " << m;
      EXPECT_EQ(y[i].f[m], as_double(w)) << x[i] << " direction " << m;
    }
    EXPECT_EQ(y[i].g, s);
    EXPECT_EQ(y[i].h, u);
  }
}

TEST(DeviceConversionsTest, CastsSaturateAsOnGpu) {
  const std::vector<float> x = {kNone, 1e20F, -1e20F, 3.9F, -3.9F, 4e9F, std::numeric_limits<float>::infinity()};
  const ElementKernel kernel{
      "struct Out { int s; unsigned u; };\n__global__ void k(const float* x, Out* y, int n) {\n"
      "  if (threadIdx.x < n) y[threadIdx.x] = {(int)x[threadIdx.x], (unsigned)x[threadIdx.x]};\n}\n"};
  const auto y = elements<std::array<std::int32_t, 2>>(kernel, x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ(y[i][0], (whole<std::int32_t>(x[i], 1)));
    EXPECT_EQ(static_cast<std::uint32_t>(y[i][1]), (whole<std::uint32_t>(x[i], 1)));
  }
}

TEST(DeviceConversionsTest, NumbersOfOtherLibrariesAreAssigned) {
  const std::vector<float> x = {0, 1.5F, -2049, 65504};
  const ElementKernel kernel{
      "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
      "struct Number { float value; __device__ operator float() const { return value; } };\n"
      "struct Out { float h, b; };\n__global__ void k(const float* x, Out* y, int n) {\n"
      "  if (threadIdx.x >= n) return;\n  __half2 h;\n  __nv_bfloat162 b;\n  h.x = h.y = Number{x[threadIdx.x]};\n"
      "  b.x = h.y;\n  b.y = Number{x[threadIdx.x]};\n  y[threadIdx.x] = {(float)h.x, (float)b.y + 0 * "
      "(float)b.x};\n}\n"};
  const auto y = elements<std::array<float, 2>>(kernel, x);
  EXPECT_EQ(y, (std::vector<std::array<float, 2>>{{0, 0}, {1.5F, 1.5F}, {-2048, -2048}, {65504, 65536}}));
}

}  // namespace
}  // namespace kmux::cpu::device_conversions
