// Device functions under every setting and flag that changes arithmetic: the results must not change, in any tier.
// Prints the metric fast_math_wrong, the number of wrong functions and settings; tests all settings with
// KMUX_ARITHMETIC=all.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workbench.h"

namespace kmux::cpu::fast_math {
namespace {

// Functions of a and b, by their names for double; the float names end in f.
constexpr const char* kOfOne[] = {
    "acos",  "acosh", "asin", "asinh",     "atan",    "atanh", "cbrt", "ceil",  "cos",    "cosh", "cospi",
    "erf",   "erfc",  "exp",  "exp10",     "exp2",    "expm1", "fabs", "floor", "lgamma", "log",  "log10",
    "log1p", "log2",  "logb", "nearbyint", "normcdf", "rcbrt", "rint", "round", "rsqrt",  "sin",  "sinh",
    "sinpi", "sqrt",  "tan",  "tanh",      "tgamma",  "trunc", "j0",   "y1"};
constexpr const char* kOfTwo[] = {"atan2", "copysign", "fdim",      "fmax",      "fmin",   "fmod",
                                  "hypot", "pow",      "remainder", "nextafter", "rhypot", "fdivide"};
constexpr const char* kOfBoth[] = {"isnan(a)",         "isinf(a)",       "isfinite(a)",  "isnormal(a)",
                                   "signbit(a)",       "ilogb(a)",       "lrint(a)",     "llround(a)",
                                   "frexp(a, &whole)", "modf(a, &part)", "ldexp(a, 5)",  "min(a, b)",
                                   "max(a, b)",        "abs(a)",         "fma(a, b, a)", "remquo(a, b, &whole)"};
constexpr const char* kOfFloat[] = {"__sinf(a)",
                                    "__cosf(a)",
                                    "__tanf(a)",
                                    "__expf(a)",
                                    "__exp10f(a)",
                                    "__logf(a)",
                                    "__log2f(a)",
                                    "__log10f(a)",
                                    "__powf(a, b)",
                                    "__fdividef(a, b)",
                                    "__saturatef(a)",
                                    "__fadd_rn(a, b)",
                                    "__fsub_rn(a, b)",
                                    "__fmul_rn(a, b)",
                                    "__fadd_rn(__fmul_rn(a, b), b)",
                                    "__fdiv_rn(a, b)",
                                    "__frcp_rn(a)",
                                    "__fsqrt_rn(a)",
                                    "__frsqrt_rn(a)",
                                    "__fmaf_rn(a, b, b)",
                                    "__fadd_rz(a, b)",
                                    "__fmul_rd(a, b)",
                                    "__fdiv_ru(a, b)",
                                    "__fsqrt_rz(a)",
                                    "__frcp_rd(a)",
                                    "__fmaf_ru(a, b, b)",
                                    "norm3df(a, b, a)",
                                    "rnorm4df(a, b, b, a)",
                                    "__float2int_rn(a)",
                                    "__float2uint_rz(a)",
                                    "__float2ll_rd(a)",
                                    "__half2float(__float2half(a))",
                                    "__half2float(hsin(__float2half(a)))",
                                    "__half2float(h2exp(__float2half2_rn(a)).x)",
                                    "__half2float(hlog2(__float2half(a)))",
                                    "__half2float(__hadd(__float2half(a), __float2half(b)))",
                                    "__half2float(__hfma(__float2half(a), __float2half(b), __float2half(b)))",
                                    "__half2float(hrsqrt(__float2half(a)))",
                                    "__half2float(__hmax(__float2half(a), __float2half(b)))",
                                    "__hisnan(__float2half(a))",
                                    "__half2float(__float2half_rd(a))",
                                    "__bfloat162float(__float2bfloat16(a))",
                                    "__bfloat162float(hexp(__float2bfloat16(a)))",
                                    "cuCabsf(make_cuFloatComplex(a, b))",
                                    "cuCdivf(make_cuFloatComplex(a, b), make_cuFloatComplex(b, a)).x"};
constexpr const char* kOfDouble[] = {"__dadd_rn(__dmul_rn(a, b), b)",
                                     "__ddiv_rn(a, b)",
                                     "__dsqrt_rn(a)",
                                     "__fma_rn(a, b, b)",
                                     "__dadd_rz(a, b)",
                                     "__dmul_ru(a, b)",
                                     "__double2int_rn(a)",
                                     "__double2ll_rz(a)",
                                     "norm4d(a, b, b, a)",
                                     "rnorm3d(a, b, a)",
                                     "__double2float_rd(a)",
                                     "__double2float_rn(a)"};

template <class T>
std::vector<std::string> expressions() {
  constexpr bool kIsFloat = sizeof(T) == sizeof(float);
  const std::string end = kIsFloat ? "f" : "";
  std::vector<std::string> all;
  for (const char* const name : kOfOne) all.push_back(name + end + "(a)");
  for (const char* const name : kOfTwo) all.push_back(name + end + "(a, b)");
  all.insert(all.end(), std::begin(kOfBoth), std::end(kOfBoth));
  if (kIsFloat)
    all.insert(all.end(), std::begin(kOfFloat), std::end(kOfFloat));
  else
    all.insert(all.end(), std::begin(kOfDouble), std::end(kOfDouble));
  return all;
}

template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           T(0.25),
                           T(0.5),
                           T(0.75),
                           1,
                           T(1.25),
                           T(1.5),
                           T(1.75),
                           2,
                           3,
                           10,
                           T(88.7),
                           T(103.9),
                           128,
                           T(709.7),
                           T(745.1),
                           T(1e5),
                           T(1e9),
                           T(8388609),
                           T(1e22),
                           Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::max(),
                           Limits::min(),
                           Limits::denorm_min()};
  for (std::size_t i = 0, count = values.size(); i < count; ++i) values.push_back(-values[i]);
  return values;
}

template <class T>
struct Arguments {
  std::vector<T> a, b;
  Arguments() {
    for (const T x : special_values<T>()) {
      for (const T y : special_values<T>()) a.push_back(x), b.push_back(y);
    }
    std::mt19937_64 random(7);
    const auto next = [&](double scale) {
      return static_cast<T>((static_cast<double>(random() >> 11) * 0x1p-52 - 1) * scale);
    };
    for (const double scale : {1.0, 4.0, 30.0, 700.0}) {
      for (int i = 0; i < 150; ++i) a.push_back(next(scale)), b.push_back(next(scale));
    }
  }
};

constexpr std::size_t kOfAKernel = 16;  // expressions

template <class T>
std::string source() {
  const std::string type = sizeof(T) == sizeof(float) ? "float" : "double";
  const std::vector<std::string> all = expressions<T>();
  std::string text = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuComplex.h>\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % kOfAKernel == 0)
      text += "__global__ void k" + std::to_string(i / kOfAKernel) + "(const " + type + "* x, const " + type + "* z, " +
              type + "* y, int n) {\n  const int i = blockIdx.x * 64 + threadIdx.x;\n  if (i >= n) return;\n  const " +
              type + " a = x[i], b = z[i];\n  " + type + " part;\n  int whole;\n";
    text += "  y[" + std::to_string(i) + "ll * n + i] = static_cast<" + type + ">(" + all[i] + ");\n";
    if (i % kOfAKernel == kOfAKernel - 1 || i + 1 == all.size()) text += "}\n";
  }
  return text;
}

/// The arithmetic settings of a program.
struct Setting {
  std::string name;
  bool fast_math = false;
  std::string flags;  // a line each
};

constexpr const char* kFlags[] = {"-ffast-math",
                                  "-freciprocal-math",
                                  "-Ofast",
                                  "-funsafe-math-optimizations",
                                  "-ffinite-math-only",
                                  "-fno-honor-nans",
                                  "-fno-honor-infinities",
                                  "-fassociative-math\n-fno-signed-zeros\n-fno-trapping-math",
                                  "-fno-signed-zeros",
                                  "-fapprox-func",
                                  "-ffp-contract=fast",
                                  "-ffp-contract=off",
                                  "-ffp-model=fast"};

std::vector<Setting> settings() {
  const char* const asked = std::getenv("KMUX_ARITHMETIC");
  const bool all = asked != nullptr && std::string_view(asked) == "all";
  std::vector<Setting> some = {{"fast_math", true, ""}};
  for (const char* const flags : std::span(kFlags).first(all ? std::size(kFlags) : 1))
    some.push_back({flags, false, flags});
  return some;
}

template <class T>
std::vector<T> results(const Setting& setting, Options options, const Arguments<T>& arguments) {
  ProgramBuilder builder("arithmetic");
  builder.pointer("x").pointer("z").pointer("y");
  builder.scalar("n", dtype::kInt32);
  Settings its;
  its.fast_math = setting.fast_math;
  builder.variant("cuda").source("k.cu", source<T>()).settings(its);
  const std::size_t count = arguments.a.size(), functions = expressions<T>().size();
  for (std::size_t i = 0; i * kOfAKernel < functions; ++i) {
    LaunchBuilder launch = builder.launch("k" + std::to_string(i));
    launch.grid({Expr(static_cast<std::int64_t>((count + 63) / 64))}).block({Expr(64)}).args({"x", "z", "y", "n"});
  }
  if (!setting.flags.empty()) options["compile_flags"] = setting.flags;
  auto loaded = common_bench().load(builder.build().value(), std::move(options));
  EXPECT_TRUE(loaded.ok()) << setting.name << ": " << (loaded.ok() ? "" : loaded.error().explain());
  if (!loaded) return {};
  std::vector<T> y(functions * count);
  const auto at = [](const std::vector<T>& values) { return slot(const_cast<T*>(values.data())); };
  const Status done = (*loaded)({at(arguments.a), at(arguments.b), at(y), slot(static_cast<std::int64_t>(count))});
  EXPECT_TRUE(done.ok()) << setting.name << ": " << (done.ok() ? "" : done.error().explain());
  return y;
}

template <class T>
bool is_right(T actual, T expected) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) == std::isnan(actual);
  if (actual == expected) return std::signbit(actual) == std::signbit(expected);
  if (std::isinf(expected) || std::isinf(actual)) return false;
  const T next = std::nextafter(std::abs(expected), std::numeric_limits<T>::infinity());
  return std::abs(actual - expected) <= 4 * (next - std::abs(expected));
}

// Returns the number of wrong functions of type T, each counted once for each setting and way.
template <class T>
int count_wrong() {
  const Arguments<T> arguments;
  const std::vector<std::string> functions = expressions<T>();
  const std::vector<T> expected = results<T>({}, {{"tier", "full"}}, arguments);
  int wrong = 0;
  for (const Setting& setting : settings()) {
    for (const Options& way : {Options{{"tier", "fast"}}, Options{{"tier", "full"}}, Options{{"check", "on"}}}) {
      const std::vector<T> actual = results(setting, way, arguments);
      if (actual.size() != expected.size()) return static_cast<int>(functions.size());
      for (std::size_t k = 0; k < functions.size(); ++k) {
        for (std::size_t i = 0, count = arguments.a.size(); i < count; ++i) {
          const T one = actual[k * count + i], right = expected[k * count + i];
          if (is_right(one, right)) continue;
          ADD_FAILURE() << functions[k] << ", " << setting.name << ", " << way.begin()->first << " "
                        << way.begin()->second << ": " << one << " for a = " << arguments.a[i]
                        << ", b = " << arguments.b[i] << ", not " << right;
          ++wrong;
          break;
        }
      }
    }
  }
  return wrong;
}

TEST(FastMathTest, PreservesDeviceFunctionResults) {
  const int wrong = count_wrong<float>() + count_wrong<double>();
  std::printf("fast_math_wrong %d\n", wrong);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace kmux::cpu::fast_math
