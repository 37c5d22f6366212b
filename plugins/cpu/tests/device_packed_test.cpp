// Words of two or four small integers (CUDA Math API, SIMD intrinsics and DPX), each compared with its definition for
// one integer.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <random>

#include "device_call.h"

namespace kmux::cpu::device_packed {
namespace {

using Words = std::array<std::uint32_t, 4>;  // three arguments and padding

std::vector<Words> words() {
  std::vector<Words> all;
  const std::uint32_t special[] = {0,          0x80808080, 0x7f7f7f7f, 0xffffffff, 0x80007fff,
                                   0x7fff8000, 0x00010001, 0x01020304, 0x80000000};
  for (const std::uint32_t a : special) {
    for (const std::uint32_t b : special) all.push_back({a, b, static_cast<std::uint32_t>(all.size() * 0x9e3779b9U)});
  }
  std::mt19937 random(3);
  while (all.size() < 2000) {
    const auto a = static_cast<std::uint32_t>(random());
    all.push_back({a, random() % 4 == 0 ? a ^ (1U << random() % 32) : static_cast<std::uint32_t>(random()),
                   static_cast<std::uint32_t>(random())});
  }
  return all;
}

/// Returns the result of `call` of a, b, c for each word.
std::vector<std::uint32_t> given(const std::string& call, const std::vector<Words>& x) {
  const ElementKernel kernel{
      "__global__ void k(const uint4* x, unsigned* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  const unsigned a = x[i].x, b = x[i].y, c = x[i].z;\n  (void)b, (void)c;\n  bool p, q;\n"
      "  (void)p, (void)q;\n  y[i] = " +
      call + ";\n}\n"};
  return elements<std::uint32_t>(kernel, x);
}

struct Kind {
  int bits;
  bool is_signed;
  std::int64_t least() const { return is_signed ? -(std::int64_t{1} << (bits - 1)) : 0; }
  std::int64_t most() const { return (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1; }
  std::int64_t at(std::uint32_t word, int index) const {
    const std::int64_t value = (word >> (bits * index)) & ((std::int64_t{1} << bits) - 1);
    return is_signed && value > most() ? value - (std::int64_t{1} << bits) : value;
  }
};

using Meaning = std::int64_t (*)(std::int64_t a, std::int64_t b, const Kind& kind);

std::int64_t fitted(std::int64_t value, const Kind& kind) { return std::clamp(value, kind.least(), kind.most()); }

void expect_each(const std::string& name, bool is_signed, Meaning meaning, bool has_two = true) {
  static const std::vector<Words> x = words();
  for (const int bits : {16, 8}) {
    const Kind kind{bits, is_signed};
    const std::string call = name + (bits == 16 ? "2" : "4") + (has_two ? "(a, b)" : "(a)");
    const std::vector<std::uint32_t> y = given(call, x);
    for (std::size_t i = 0; i < y.size() && !testing::Test::HasFailure(); ++i) {
      std::uint32_t wanted = 0;
      for (int j = 0; j < 32 / bits; ++j) {
        const std::int64_t one = meaning(kind.at(x[i][0], j), kind.at(x[i][1], j), kind);
        wanted |= (static_cast<std::uint32_t>(one) & static_cast<std::uint32_t>((1U << bits) - 1)) << (bits * j);
      }
      EXPECT_EQ(y[i], wanted) << call << " of " << std::hex << x[i][0] << ", " << x[i][1];
    }
  }
}

TEST(DevicePackedTest, ComputesSumsAndDifferences) {
  expect_each("__vadd", false, [](auto a, auto b, auto&) { return a + b; });
  expect_each("__vaddss", true, [](auto a, auto b, auto& kind) { return fitted(a + b, kind); });
  expect_each("__vaddus", false, [](auto a, auto b, auto& kind) { return fitted(a + b, kind); });
  expect_each("__vsub", false, [](auto a, auto b, auto&) { return a - b; });
  expect_each("__vsubss", true, [](auto a, auto b, auto& kind) { return fitted(a - b, kind); });
  expect_each("__vsubus", false, [](auto a, auto b, auto& kind) { return fitted(a - b, kind); });
  expect_each("__vabsdiffs", true, [](auto a, auto b, auto&) { return std::abs(a - b); });
  expect_each("__vabsdiffu", false, [](auto a, auto b, auto&) { return std::abs(a - b); });
}

TEST(DevicePackedTest, ComputesAbsoluteValuesAndNegations) {
  expect_each("__vabs", true, [](auto a, auto, auto&) { return std::abs(a); }, false);
  expect_each("__vabsss", true, [](auto a, auto, auto& kind) { return fitted(std::abs(a), kind); }, false);
  expect_each("__vneg", true, [](auto a, auto, auto&) { return -a; }, false);
  expect_each("__vnegss", true, [](auto a, auto, auto& kind) { return fitted(-a, kind); }, false);
}

TEST(DevicePackedTest, ComputesAveragesMinimaAndMaxima) {
  expect_each("__vavgs", true, [](auto a, auto b, auto&) -> std::int64_t {
    const std::int64_t sum = a + b;  // a half rounds away from zero
    return (std::abs(sum) + 1) / 2 * (sum < 0 ? -1 : 1);
  });
  expect_each("__vavgu", false, [](auto a, auto b, auto&) { return (a + b + 1) / 2; });
  expect_each("__vhaddu", false, [](auto a, auto b, auto&) { return (a + b) / 2; });
  expect_each("__vmaxs", true, [](auto a, auto b, auto&) { return std::max(a, b); });
  expect_each("__vmaxu", false, [](auto a, auto b, auto&) { return std::max(a, b); });
  expect_each("__vmins", true, [](auto a, auto b, auto&) { return std::min(a, b); });
  expect_each("__vminu", false, [](auto a, auto b, auto&) { return std::min(a, b); });
}

TEST(DevicePackedTest, ComparesElementwise) {
  const std::pair<const char*, Meaning> relations[] = {
      {"ge", [](auto a, auto b, auto&) -> std::int64_t { return a >= b; }},
      {"gt", [](auto a, auto b, auto&) -> std::int64_t { return a > b; }},
      {"le", [](auto a, auto b, auto&) -> std::int64_t { return a <= b; }},
      {"lt", [](auto a, auto b, auto&) -> std::int64_t { return a < b; }}};
  const std::pair<const char*, Meaning> masks[] = {
      {"ge", [](auto a, auto b, auto&) -> std::int64_t { return a >= b ? -1 : 0; }},
      {"gt", [](auto a, auto b, auto&) -> std::int64_t { return a > b ? -1 : 0; }},
      {"le", [](auto a, auto b, auto&) -> std::int64_t { return a <= b ? -1 : 0; }},
      {"lt", [](auto a, auto b, auto&) -> std::int64_t { return a < b ? -1 : 0; }}};
  for (const bool is_signed : {true, false}) {
    const std::string end = is_signed ? "s" : "u";
    for (const auto& [name, meaning] : relations) expect_each("__vset" + (name + end), is_signed, meaning);
    for (const auto& [name, meaning] : masks) expect_each("__vcmp" + (name + end), is_signed, meaning);
  }
  expect_each("__vseteq", false, [](auto a, auto b, auto&) -> std::int64_t { return a == b; });
  expect_each("__vsetne", false, [](auto a, auto b, auto&) -> std::int64_t { return a != b; });
  expect_each("__vcmpeq", false, [](auto a, auto b, auto&) -> std::int64_t { return a == b ? -1 : 0; });
  expect_each("__vcmpne", false, [](auto a, auto b, auto&) -> std::int64_t { return a == b ? 0 : -1; });
}

TEST(DevicePackedTest, SumsAbsoluteDifferences) {
  const std::vector<Words> x = words();
  for (const bool is_signed : {true, false}) {
    for (const int bits : {16, 8}) {
      const Kind kind{bits, is_signed};
      const auto y = given(std::string("__vsad") + (is_signed ? "s" : "u") + (bits == 16 ? "2(a, b)" : "4(a, b)"), x);
      for (std::size_t i = 0; i < y.size(); ++i) {
        std::int64_t sum = 0;
        for (int j = 0; j < 32 / bits; ++j) sum += std::abs(kind.at(x[i][0], j) - kind.at(x[i][1], j));
        ASSERT_EQ(y[i], sum);
      }
    }
  }
}

std::int64_t wrapped(std::int64_t value, const Kind& kind) { return kind.at(static_cast<std::uint32_t>(value), 0); }

struct Dpx {
  const char* name;
  std::int64_t (*meaning)(std::int64_t a, std::int64_t b, std::int64_t c, const Kind& kind);
};

constexpr Dpx kDpx[] = {
    {"__viaddmax_", [](auto a, auto b, auto c, const Kind& kind) { return std::max(wrapped(a + b, kind), c); }},
    {"__viaddmin_", [](auto a, auto b, auto c, const Kind& kind) { return std::min(wrapped(a + b, kind), c); }},
    {"__vimax3_", [](auto a, auto b, auto c, const Kind&) { return std::max({a, b, c}); }},
    {"__vimin3_", [](auto a, auto b, auto c, const Kind&) { return std::min({a, b, c}); }}};

void expect_dpx(const Dpx& function, const Kind& kind, bool is_relu) {
  static const std::vector<Words> x = words();
  const std::string type = (kind.is_signed ? "s" : "u") + std::string(kind.bits == 32 ? "32" : "16x2");
  const std::string call = function.name + type + (is_relu ? "_relu" : "") + "(a, b, c)";
  const auto y = given("(unsigned)" + call, x);
  for (std::size_t i = 0; i < y.size() && !testing::Test::HasFailure(); ++i) {
    std::uint32_t wanted = 0;
    for (int j = 0; j < 32 / kind.bits; ++j) {
      std::int64_t one = function.meaning(kind.at(x[i][0], j), kind.at(x[i][1], j), kind.at(x[i][2], j), kind);
      if (is_relu) one = std::max<std::int64_t>(one, 0);
      wanted |= static_cast<std::uint32_t>(one & ((std::int64_t{1} << kind.bits) - 1)) << (kind.bits * j);
    }
    EXPECT_EQ(y[i], wanted) << call << " of " << std::hex << x[i][0] << ", " << x[i][1] << ", " << x[i][2];
  }
}

TEST(DevicePackedTest, ComputesDpxMinimaAndMaxima) {
  for (const Dpx& function : kDpx) {
    for (const int bits : {32, 16}) {
      for (const bool is_relu : {false, true}) expect_dpx(function, {bits, true}, is_relu);
      expect_dpx(function, {bits, false}, false);
    }
  }
}

TEST(DevicePackedTest, ReportsWhichOperandIsExtreme) {
  const std::vector<Words> x = words();
  const auto wide = given("__vibmax_s32((int)a, (int)b, &p) * 2u + p", x);
  const auto narrow = given("__vibmin_u16x2(a, b, &p, &q) == __vminu2(a, b) ? p * 2 + q : 9", x);
  const auto relu = given("__vimax_s32_relu((int)a, (int)b) + 0u * __vimin_s16x2_relu(a, b)", x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto a = static_cast<std::int32_t>(x[i][0]), b = static_cast<std::int32_t>(x[i][1]);
    EXPECT_EQ(wide[i], static_cast<std::uint32_t>(std::max(a, b)) * 2U + (a >= b ? 1U : 0U));
    EXPECT_EQ(narrow[i],
              ((x[i][0] >> 16) <= (x[i][1] >> 16) ? 2U : 0U) + ((x[i][0] & 0xffff) <= (x[i][1] & 0xffff) ? 1U : 0U));
    EXPECT_EQ(relu[i], static_cast<std::uint32_t>(std::max({a, b, 0})));
  }
}

}  // namespace
}  // namespace kmux::cpu::device_packed
