// Math functions of dialect cuda, compared with a wider type: at special values, over all exponents, and near critical
// points.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device_call.h"
#include "needs.h"
#include "simt/frontend/installation.h"
#include "workbench.h"

namespace kmux::cpu {

using namespace simt;
namespace {

using Wide = long double;

/// A function of one or two arguments: its float name without the f, and the permitted error of its float and double
/// forms in units in the last place.
struct Function {
  const char* name;
  Wide (*one)(Wide);
  Wide (*two)(Wide, Wide);
  double float_bound;
  double double_bound;
};

Wide wide_exp10(Wide x) { return powl(10, x); }
Wide wide_rsqrt(Wide x) { return 1 / sqrtl(x); }
Wide wide_sinpi(Wide x) {
  const Wide turns = fmodl(x, 2), quarters = rintl(2 * turns), rest = (turns - quarters / 2) * std::numbers::pi_v<Wide>;
  if (turns == rintl(turns)) return copysignl(0, x);
  const Wide sine = static_cast<int>(quarters) % 2 == 0 ? sinl(rest) : cosl(rest);
  return (static_cast<int>(quarters) & 2) == 0 ? sine : -sine;
}

constexpr Function kFunctions[] = {
    {"exp", expl, nullptr, 1, 1},
    {"exp2", exp2l, nullptr, 1, 1},
    {"exp10", wide_exp10, nullptr, 1, 1.1},
    {"expm1", expm1l, nullptr, 1.5, 1.7},
    {"sinh", sinhl, nullptr, 1.7, 1.7},
    {"cosh", coshl, nullptr, 1.5, 1.5},
    {"tanh", tanhl, nullptr, 1.5, 1.5},
    {"log", logl, nullptr, 1, 1},
    {"log2", log2l, nullptr, 1, 1},
    {"log10", log10l, nullptr, 1, 1},
    {"log1p", log1pl, nullptr, 1.5, 1.5},
    {"sin", sinl, nullptr, 1.6, 1},
    {"cos", cosl, nullptr, 1.6, 1},
    {"tan", tanl, nullptr, 1, 1},
    {"sinpi", wide_sinpi, nullptr, 1, 1},
    {"asin", asinl, nullptr, 1.7, 1.7},
    {"acos", acosl, nullptr, 1.5, 1.5},
    {"atan", atanl, nullptr, 1.5, 1.5},
    {"atan2", nullptr, atan2l, 1.7, 1.7},
    {"erf", erfl, nullptr, 1, 1},
    {"erfc", erfcl, nullptr, 1, 2},
    {"pow", nullptr, powl, 1, 1.3},
    {"cbrt", cbrtl, nullptr, 1, 1},
    {"rsqrt", wide_rsqrt, nullptr, 1.5, 1.5},
    {"hypot", nullptr, hypotl, 1, 1},
    {"fmod", nullptr, fmodl, 0, 0},
    {"remainder", nullptr, remainderl, 0, 0},
    {"floor", floorl, nullptr, 0, 0},
    {"rint", rintl, nullptr, 0, 0},
    {"round", roundl, nullptr, 0, 0},
    {"trunc", truncl, nullptr, 0, 0},
    {"fdim", nullptr, fdiml, 0.5, 0.5},
};

template <class T>
struct Format;
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int digits = 24, exponents = 256, samples = 40;
  static constexpr DType kType = dtype::kFloat32;
  static constexpr const char* name = "float";
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int digits = 53, exponents = 2048, samples = 4;
  static constexpr DType kType = dtype::kFloat64;
  static constexpr const char* name = "double";
};

template <class T>
std::string name_of(const Function& function) {
  return std::string(function.name) + (sizeof(T) == sizeof(float) ? "f" : "");
}

template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (const double one :
       {0.0,   0.25,  0.5,   0.75,  1.0,    1.5,    2.0, 2.5, 3.0,  10.0,         88.72284,         89.0,
        103.9, 128.0, 149.0, 150.0, 709.79, 745.14, 1e5, 1e9, 1e22, 1073741824.0, 281474976710656.0}) {
    values.push_back(static_cast<T>(one));
  }
  for (const T one : {Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::min(), Limits::denorm_min(),
                      Limits::min() - Limits::denorm_min(), std::nextafter(T(1), T(0)), std::nextafter(T(1), T(2)),
                      std::nextafter(T(0.5), T(1)), static_cast<T>(16367173 * 0x1p72),
                      static_cast<T>(6381956970095103.0) * static_cast<T>(0x1p797)}) {
    values.push_back(one);
  }
  for (std::size_t i = 0, count = values.size(); i < count; ++i) values.push_back(-values[i]);
  return values;
}

template <class T>
std::vector<T> arguments() {
  using Bits = typename Format<T>::Bits;
  std::vector<T> values = special_values<T>();
  std::mt19937_64 random(20240607);
  for (Bits exponent = 0; exponent < 2 * Format<T>::exponents; ++exponent) {  // with the sign above
    for (int i = 0; i < Format<T>::samples; ++i) {
      const Bits fraction = static_cast<Bits>(random()) >> (sizeof(Bits) * 8 + 1 - Format<T>::digits);
      values.push_back(std::bit_cast<T>(exponent << (Format<T>::digits - 1) | fraction));
    }
  }
  for (const double scale : {1.0, 4.0, 30.0, 700.0}) {
    for (int i = 0; i < 3000; ++i)
      values.push_back(static_cast<T>((static_cast<double>(random() >> 11) * 0x1p-52 - 1) * scale));
  }
  return values;
}

/// Pairs of arguments.
template <class T>
struct ArgumentPairs {
  std::vector<T> x, z;
  ArgumentPairs() {
    for (const T a : special_values<T>()) {
      for (const T b : special_values<T>()) x.push_back(a), z.push_back(b);
    }
    std::vector<T> more = arguments<T>(), other = more;
    std::shuffle(other.begin(), other.end(), std::mt19937_64(7));
    for (std::size_t i = 0; i < more.size(); ++i) {
      x.push_back(more[i]);
      z.push_back(i % 3 == 0 ? more[i] * static_cast<T>(1 + 1e-3 * std::sin(static_cast<double>(i))) : other[i]);
    }
  }
};

// Returns the results of `functions`, one after another, for each pair.
template <class T>
Result<std::vector<T>> math_results(std::span<const Function> functions, ArgumentPairs<T> pairs,
                                    const Options& options) {
  const std::string type = Format<T>::name;
  std::string source = "__global__ void k(const " + type + "* x, const " + type + "* z, " + type + "* y, int n) {\n" +
                       "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n";
  for (std::size_t i = 0; i < functions.size(); ++i) {
    source += "  y[" + std::to_string(i) + "LL * n + i] = " + name_of<T>(functions[i]) + "(x[i]" +
              (functions[i].two != nullptr ? ", z[i]" : "") + ");\n";
  }
  const auto count = static_cast<std::int64_t>(pairs.x.size());
  std::vector<T> y(pairs.x.size() * functions.size());
  ProgramBuilder builder("sample");
  builder.input("x", Format<T>::kType, {count}).input("z", Format<T>::kType, {count});
  builder.output("y", Format<T>::kType, {static_cast<std::int64_t>(y.size())});
  builder.variant("cuda").source("k.cu", source + "}\n");
  builder.launch("k").grid({Expr((count + 127) / 128)}).block({Expr(128)}).args({"x", "z", "y"}).arg(Expr(count));
  KMUX_ASSIGN(const Program program, builder.build());
  Workbench bench;
  KMUX_ASSIGN(LoadedKernel kernel, bench.load(program, options));
  KMUX_TRY(kernel({slot(pairs.x.data()), slot(pairs.z.data()), slot(y.data())}));
  return y;
}

// Returns the distance of `got` from `wanted` in units in the last place; a huge number if their kinds differ.
template <class T>
double units_between(T got, Wide wanted) {
  using Limits = std::numeric_limits<T>;
  constexpr double kOther = 1e30;
  const T rounded = static_cast<T>(wanted);
  if (std::isnan(wanted) || std::isnan(got)) return std::isnan(wanted) && std::isnan(got) ? 0 : kOther;
  if (std::signbit(got) != std::signbit(rounded)) return kOther;
  if (got == rounded && (rounded == 0 || std::isinf(rounded))) return 0;
  if (std::isinf(wanted) || wanted == 0) return kOther;
  const Wide value = std::isinf(got) ? std::copysign(std::ldexp(Wide(1), Limits::max_exponent), Wide(got)) : Wide(got);
  const int exponent = std::max(std::ilogb(wanted) + 1, Limits::min_exponent);
  return static_cast<double>(std::abs(wanted - value) / std::ldexp(Wide(1), exponent - Limits::digits));
}

template <class T>
bool is_same_number(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<typename Format<T>::Bits>(a) == std::bit_cast<typename Format<T>::Bits>(b);
}

template <class T>
void check_one(const Function& function, const ArgumentPairs<T>& pairs, std::span<const T> results) {
  double worst = -1;
  std::size_t at = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Wide wanted = function.two != nullptr ? function.two(pairs.x[i], pairs.z[i]) : function.one(pairs.x[i]);
    const double found = units_between(results[i], wanted);
    if (found > worst) worst = found, at = i;
  }
  const double bound = sizeof(T) == sizeof(float) ? function.float_bound : function.double_bound;
  EXPECT_LE(worst, bound) << name_of<T>(function) << "(" << pairs.x[at] << ", " << pairs.z[at] << ") is "
                          << results[at];
  ::testing::Test::RecordProperty(name_of<T>(function), std::to_string(worst));
}

template <class T>
void check_all() {
  const ArgumentPairs<T> pairs;
  const auto full = math_results<T>(kFunctions, pairs, {{"tier", "full"}});
  const auto fast = math_results<T>(kFunctions, pairs, {{"tier", "fast"}});
  ASSERT_TRUE(full.ok()) << full.error().explain();
  ASSERT_TRUE(fast.ok()) << fast.error().explain();
  std::size_t others = 0;
  for (std::size_t i = 0; i < full->size(); ++i) others += is_same_number((*full)[i], (*fast)[i]) ? 0 : 1;
  EXPECT_EQ(others, 0U);
  for (std::size_t i = 0; i < std::size(kFunctions); ++i) {
    check_one<T>(kFunctions[i], pairs, std::span(*full).subspan(i * pairs.x.size(), pairs.x.size()));
  }
}

TEST(DeviceMathTest, FloatIsAccurateAndEqualInBothTiers) { check_all<float>(); }
TEST(DeviceMathTest, DoubleIsAccurateAndEqualInBothTiers) { check_all<double>(); }

// Vectors of four and eight floats; on x86-64-v2 with sums and products rounded separately, since FMA is a library
// function there. At most two units in the last place.
template <class T>
void check_for(const char* march, const char* instructions) {
  if (!host_cpu().features.contains(instructions)) {
    GTEST_SKIP() << needs(march, std::string("this processor has no ") + instructions);
  }
  const ArgumentPairs<T> pairs;
  const auto results = math_results<T>(kFunctions, pairs, {{"tier", "fast"}, {"march", march}});
  ASSERT_TRUE(results.ok()) << results.error().explain();
  for (std::size_t i = 0; i < std::size(kFunctions); ++i) {
    Function function = kFunctions[i];
    if (function.float_bound > 0) function.float_bound = function.double_bound = 2;
    check_one<T>(function, pairs, std::span(*results).subspan(i * pairs.x.size(), pairs.x.size()));
  }
}

TEST(DeviceMathTest, FloatIsAccurateWithoutAvx512) { check_for<float>("x86-64-v3", "fma"); }
TEST(DeviceMathTest, DoubleIsAccurateWithoutAvx512) { check_for<double>("x86-64-v3", "fma"); }
TEST(DeviceMathTest, FloatIsAccurateWithoutFma) { check_for<float>("x86-64-v2", "sse4.2"); }
TEST(DeviceMathTest, DoubleIsAccurateWithoutFma) { check_for<double>("x86-64-v2", "sse4.2"); }

// A source gets the headers whose names it uses.
TEST(DeviceMathTest, EachFunctionCompilesAlone) {
  const std::vector<float> x(64, 0.5f);
  std::vector<float> y(64);
  for (const char* const call : {"expf(v)",
                                 "exp2f(v)",
                                 "exp10f(v)",
                                 "expm1f(v)",
                                 "sinhf(v)",
                                 "coshf(v)",
                                 "tanhf(v)",
                                 "logf(v)",
                                 "log2f(v)",
                                 "log10f(v)",
                                 "log1pf(v)",
                                 "asinf(v)",
                                 "acosf(v)",
                                 "atanf(v)",
                                 "sinf(v)",
                                 "cosf(v)",
                                 "tanf(v)",
                                 "sinpif(v)",
                                 "cospif(v)",
                                 "cbrtf(v)",
                                 "rcbrtf(v)",
                                 "erff(v)",
                                 "erfcf(v)",
                                 "normcdff(v)",
                                 "atan2f(v, 2.0f)",
                                 "hypotf(v, 2.0f)",
                                 "rhypotf(v, 2.0f)",
                                 "fmodf(v, 2.0f)",
                                 "remainderf(v, 2.0f)",
                                 "powf(v, 2.0f)",
                                 "__expf(v)",
                                 "__exp10f(v)",
                                 "__logf(v)",
                                 "__log2f(v)",
                                 "__log10f(v)",
                                 "__sinf(v)",
                                 "__cosf(v)",
                                 "__tanf(v)",
                                 "__powf(v, 2.0f)"}) {
    const std::string statement = "y[threadIdx.x] = " + std::string(call) + ";";
    const ElementKernel kernel{
        R"(extern "C" __global__ void k(const float* x, float* y, int n) { float v = x[threadIdx.x]; )" + statement +
        "}"};
    const Status status = run_elements(kernel, "fast", x.data(), y.data(), x.size());
    EXPECT_TRUE(status.ok()) << call << ": " << (status.ok() ? "" : status.error().explain());
  }
}

}  // namespace
}  // namespace kmux::cpu
