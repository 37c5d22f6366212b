// Fields of floating-point numbers in dialect cuda, compared with the C library for all kinds of numbers, and with the
// special values that the CUDA Math API states.
#include <bit>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "device_call.h"

namespace kmux::cpu::device_fields {
namespace {

template <class T>
struct In {
  T x, y;
  std::int64_t n;
};
template <class T>
struct Out {
  T fraction, scaled, scaled_far, power, part, whole, rest, length, length4;
  std::int64_t exponent, integer_power, quotient, nearest, away, is_negative, is_normal;
};

// F stands for the f suffix of the float functions.
constexpr const char* kKernel = R"(
struct In { T x, y; long n; };
struct Out { T fraction, scaled, scaled_far, power, part, whole, rest, length, length4;
             long exponent, integer_power, quotient, nearest, away, is_negative, is_normal; };
__global__ void k(const In* in, Out* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T x = in[i].x, y = in[i].y;
  int exponent, quotient;
  T whole;
  out[i].fraction = F(frexp)(x, &exponent);
  out[i].scaled = F(ldexp)(x, (int)in[i].n);
  out[i].scaled_far = F(scalbln)(F(scalbn)(x, 0), in[i].n * 1000000000000L);
  out[i].power = F(logb)(x);
  out[i].part = F(modf)(x, &whole);
  out[i].rest = F(remquo)(x, y, &quotient);
  out[i].whole = whole;
  out[i].length = NORM(3)(x, y, T(2));
  out[i].length4 = NORM(4)(x, y, T(2), T(-3));
  out[i].exponent = exponent;
  out[i].integer_power = F(ilogb)(x);
  out[i].quotient = quotient;
  out[i].nearest = in[i].n % 2 ? F(lrint)(x) : F(llrint)(x);
  out[i].away = in[i].n % 2 ? F(lround)(x) : F(llround)(x);
  out[i].is_negative = signbit(x);
  out[i].is_normal = isnormal(x);
}
)";

template <class T>
std::string source() {
  const bool is_float = sizeof(T) == sizeof(float);
  return std::string(is_float ? "#define T float\n#define F(name) name##f\n#define NORM(n) norm##n##df\n"
                              : "#define T double\n#define F(name) name\n#define NORM(n) norm##n##d\n") +
         kKernel;
}

template <class T>
std::vector<In<T>> inputs() {
  using Limits = std::numeric_limits<T>;
  using Bits = std::conditional_t<sizeof(T) == sizeof(float), std::uint32_t, std::uint64_t>;
  const T special[] = {0,
                       Limits::denorm_min(),
                       3 * Limits::denorm_min(),
                       Limits::min() / 2,
                       Limits::min(),
                       0.25,
                       0.5,
                       1,
                       1.5,
                       2.5,
                       3,
                       7,
                       100.5,
                       8388607.5,
                       Limits::max() / 2,
                       Limits::max(),
                       Limits::infinity(),
                       Limits::quiet_NaN()};
  std::vector<In<T>> all;
  std::mt19937_64 random(7);
  const auto power = [&] { return static_cast<std::int64_t>(random() % 4400) - 2200; };
  for (const T x : special) {
    for (const T y : special) {
      for (const T sign : {T(1), T(-1)})
        all.push_back({sign * x, y, power()}), all.push_back({x, sign * y, power() / 64});
    }
  }
  while (all.size() < 6000) {
    const T x = std::bit_cast<T>(static_cast<Bits>(random()));
    const T other = std::bit_cast<T>(static_cast<Bits>(random()));
    all.push_back({x, random() % 2 == 0 ? other : x * static_cast<T>(0.3), power() / (random() % 2 == 0 ? 1 : 32)});
    all.push_back({static_cast<T>(static_cast<std::int64_t>(random() % 4001) - 2000) / 4, T(0.75), power()});
  }
  return all;
}

template <class T>
bool is_same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <class T>
void expect_parts(const In<T>& in, const Out<T>& out) {
  int exponent = 0, quotient = 0;
  T whole = 0;
  EXPECT_TRUE(is_same(out.fraction, std::frexp(in.x, &exponent))) << out.fraction;
  EXPECT_EQ(out.exponent, std::isfinite(in.x) ? exponent : out.exponent);  // CUDA's manual leaves others unspecified
  EXPECT_TRUE(is_same(out.scaled, std::ldexp(in.x, static_cast<int>(in.n)))) << out.scaled << " with " << in.n;
  EXPECT_TRUE(is_same(out.scaled_far, std::scalbln(in.x, in.n * 1000000000000L))) << out.scaled_far;
  EXPECT_TRUE(is_same(out.power, std::logb(in.x))) << out.power;
  const int integer_power = in.x == 0 || std::isnan(in.x) ? INT_MIN : std::isinf(in.x) ? INT_MAX : std::ilogb(in.x);
  EXPECT_EQ(out.integer_power, integer_power);
  EXPECT_TRUE(is_same(out.part, std::modf(in.x, &whole))) << out.part;
  EXPECT_TRUE(is_same(out.whole, whole)) << out.whole;
  EXPECT_TRUE(is_same(out.rest, std::remquo(in.x, in.y, &quotient))) << out.rest << " of " << in.y;
  const bool has_quotient = std::isfinite(in.x) && in.y != 0 && !std::isnan(in.y);
  EXPECT_EQ(out.quotient, has_quotient ? quotient % 8 : out.quotient) << " of " << in.y;  // three bits are guaranteed
  EXPECT_EQ(out.is_negative != 0, std::signbit(in.x));
  EXPECT_EQ(out.is_normal != 0, std::isnormal(in.x));
  if (std::abs(in.x) > T(4e18) || std::isnan(in.x)) return;  // beyond all integers
  EXPECT_EQ(out.nearest, std::llrint(in.x));
  EXPECT_EQ(out.away, std::llround(in.x));
}

// At most 1.5 units in the last place; infinite if any number is, whatever the others are.
template <class T>
void expect_length(T found, std::initializer_list<T> numbers) {
  long double sum = 0;
  bool has_infinity = false;
  for (const T number : numbers) {
    sum += static_cast<long double>(number) * number;
    has_infinity = has_infinity || std::isinf(number);
  }
  const long double wanted = has_infinity ? std::numeric_limits<long double>::infinity() : std::sqrt(sum);
  const T rounded = static_cast<T>(wanted);
  if (!std::isfinite(rounded)) {
    EXPECT_TRUE(is_same(found, rounded)) << found;
    return;
  }
  const T step = std::nextafter(rounded, std::numeric_limits<T>::infinity()) - rounded;
  EXPECT_LE(std::abs(static_cast<long double>(found) - wanted), 1.5L * step) << found << " for " << rounded;
}

template <class T>
void expect_all() {
  const std::vector<In<T>> x = inputs<T>();
  const auto y = elements<Out<T>>({.source = source<T>()}, x);
  for (std::size_t i = 0; i < y.size() && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("number " + std::to_string(x[i].x) + " and " + std::to_string(x[i].y));
    expect_parts(x[i], y[i]);
    expect_length<T>(y[i].length, {x[i].x, x[i].y, 2});
    expect_length<T>(y[i].length4, {x[i].x, x[i].y, 2, -3});
  }
}

TEST(DeviceFieldsTest, FloatResultsMatchLibrary) { expect_all<float>(); }
TEST(DeviceFieldsTest, DoubleResultsMatchLibrary) { expect_all<double>(); }

using Numbers = std::vector<double>;

// Returns `expression` of the thread's number i, for 64 threads.
Numbers values(const std::string& expression, const std::string& before = "") {
  const std::string source = before + "\n__global__ void k(const double*, double* y, int n) {\n" +
                             "const int i = threadIdx.x;\n(void)n;\ny[i] = (double)(" + expression + ");\n}\n";
  return elements<double>({.source = source}, Numbers(64));
}

TEST(DeviceFieldsTest, OverloadsAndNamespaceStdAreProvided) {
  EXPECT_EQ(values("lrint(2.5f) + llrint(3.5) + lround(-2.5f) + llround(5)")[0], 2 + 4 - 3 + 5);
  EXPECT_EQ(values("ilogb(8) + logb(8.f) + ldexp(1.f, 3) + scalbn(1., 4)")[0], 3 + 3 + 8 + 16);
  EXPECT_EQ(values("std::signbit(-0.f) + 2 * std::isnormal(1e-310) + std::ldexp(1., i)", "#include <cmath>")[5], 33);
  EXPECT_TRUE(std::isnan(values("nanf(\"\") + nan(\"\")")[0]));
  EXPECT_EQ(values("abs(-3L) + labs(-4L) + llabs(-5LL) + umin(1u, ~0u) + llmax(-1, 7) + ullmin(2, ~0ull)")[0], 22);
}

TEST(DeviceFieldsTest, ConstantsNeedNoHeader) {
  EXPECT_EQ(values("M_PI + M_SQRT1_2 * M_SQRT2")[0],
            3.14159265358979323846 + 0.70710678118654752440 * 1.41421356237309504880);
  EXPECT_EQ(values("INFINITY")[0], HUGE_VAL);
  EXPECT_EQ(values("UINT64_C(0x8000000000000000) >> 60")[0], 8);
  EXPECT_EQ(values("INT64_MIN + INT64_C(1) == -INT64_MAX && SIZE_MAX == UINT64_MAX && UINT32_MAX == ~UINT32_C(0)")[0],
            1);
  EXPECT_EQ(values("INT8_MIN + UINT8_MAX + INT16_MAX + UINT16_MAX + (INT32_MAX >> 16)")[0],
            -128 + 255 + 32767 + 65535 + 32767);
  EXPECT_EQ(values("sizeof(intmax_t) + sizeof(uint_least8_t) + sizeof(uint_fast8_t)")[0], 10);
}

// cuComplex.h has structures of float and double of these names; a quotient is exact where its numbers are small integers.
TEST(DeviceFieldsTest, ComplexFunctionsMatchReference) {
  const std::string header = "#include <cuComplex.h>";
  const std::string z = "make_cuDoubleComplex(3, 4)", w = "make_cuComplex(1, -2)";
  EXPECT_EQ(
      values("cuCabs(" + z + ") + 100 * cuCreal(cuConj(" + z + ")) + 1000 * cuCimag(cuConj(" + z + "))", header)[0],
      -3695);
  EXPECT_EQ(
      values("cuCmulf(" + w + ", make_cuFloatComplex(i, 1)).x + 1000 * cuCmulf(" + w + ", make_cuFloatComplex(i, 1)).y",
             header)[3],
      5 + 1000 * -5);
  EXPECT_EQ(values("cuCdiv(make_cuDoubleComplex(-5, 10), " + z + ").x", header)[0], 1);
  EXPECT_EQ(values("cuCdiv(make_cuDoubleComplex(-5, 10), " + z + ").y", header)[0], 2);
  EXPECT_EQ(values("cuCrealf(cuCdivf(make_cuComplex(1e38f, 1e38f), make_cuComplex(1e38f, 1e38f)))", header)[0], 1);
  EXPECT_EQ(values("cuCimag(cuCfma(" + z + ", " + z + ", cuComplexFloatToDouble(" + w + "))) + cuCsub(" + z + ", " + z +
                       ").x",
                   header)[0],
            22);
  EXPECT_EQ(
      values("cuCaddf(cuComplexDoubleToFloat(" + z + "), " + w + ").y + cuCfmaf(" + w + ", " + w + ", " + w + ").x",
             header)[0],
      2 - 2);
}

}  // namespace
}  // namespace kmux::cpu::device_fields
