// The C++ headers that device code may include, in addition to device_language_test: braced lists, orders, concepts,
// spans, numbers.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "device_call.h"

namespace kmux::cpu::device_std {
namespace {

using Floats = std::vector<float>;

// Returns the results of `body` for 1, 2, ... 40, with the thread's element as i and v.
Floats values(const std::string& headers, const std::string& body) {
  Floats x(40);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i + 1);
  return elements<float>({headers +
                          "__global__ void k(const float* x, float* y, int n) {\n"
                          "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
                          "  const float v = x[i];\n  y[i] = [&]() -> float {" +
                          body + "}();\n}\n"},
                         x);
}

TEST(DeviceStdTest, SupportsInitializerLists) {
  const Floats y = values("#include <algorithm>\n#include <initializer_list>\n", R"(
  float sum = 0;
  for (const float factor : {1.0f, v, 3.0f}) sum += factor * v;
  const std::initializer_list<int> list = {i, 7, 20};
  return sum + 1000 * std::min({v, 9.0f, 12.0f}) + 100000 * std::max({i, 7, 20}, [](int a, int b) { return a < b; }) +
         list.size() + *list.begin() - *(list.end() - 3);)");
  ASSERT_EQ(y.size(), 40U);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float v = static_cast<float>(i + 1);
    EXPECT_EQ(y[i], 4 * v + v * v + 1000 * std::min(v, 9.0F) + 100000 * std::max(static_cast<float>(i), 20.0F) + 3)
        << i;
  }
}

TEST(DeviceStdTest, SupportsNumericAlgorithms) {
  const Floats y = values("#include <numeric>\n", R"(
  int list[5], sums[5];
  std::iota(list, list + 5, i);
  int* const end = std::partial_sum(list, list + 5, sums);
  static_assert(std::gcd(-12, 18) == 6 && std::lcm(4, 6) == 12 && std::gcd(0u, 5u) == 5 && std::lcm(0, 3) == 0);
  return std::accumulate(list, list + 5, 0.5f) + 10000 * std::gcd(i + 1, 12) + std::inner_product(list, list + 5, sums, 0) * 0 +
         (end == sums + 5 && sums[4] == 5 * i + 10 ? 0 : -1) + std::accumulate(list, list + 2, 1, [](int a, int b) { return a * b; });)");
  ASSERT_EQ(y.size(), 40U);
  for (std::size_t k = 0; k < y.size(); ++k) {
    const int i = static_cast<int>(k);
    EXPECT_EQ(y[k], static_cast<float>(5 * i + 10 + 10000 * std::gcd(i + 1, 12) + i * (i + 1)) + 0.5F) << i;
  }
}

TEST(DeviceStdTest, SupportsOrderingsAndConcepts) {
  const Floats y = values("#include <compare>\n#include <concepts>\n", R"(
  struct Version {
    int major, minor;
    auto operator<=>(const Version&) const = default;
  };
  static_assert(std::same_as<decltype(Version{} <=> Version{}), std::strong_ordering>);
  static_assert(std::same_as<decltype(1.0 <=> 2.0), std::partial_ordering>);
  static_assert((1.0 <=> __builtin_nan("")) == std::partial_ordering::unordered && !((1.0 <=> __builtin_nan("")) < 0));
  static_assert((1 <=> 2) < 0 && 0 < (2 <=> 1) && (1 <=> 1) == 0 && std::weak_ordering(2 <=> 1) == std::weak_ordering::greater);
  static_assert(std::integral<int> && !std::integral<float> && std::floating_point<double> && std::unsigned_integral<unsigned>);
  static_assert(std::convertible_to<int, float> && std::derived_from<int, int> == false && std::totally_ordered<Version>);
  const auto twice = [](std::floating_point auto value) { return 2 * value; };
  static_assert(std::invocable<decltype(twice), float> && !std::invocable<decltype(twice), int>);
  const Version a{i / 10, i % 10}, b{2, 5};
  const auto order = a <=> b;
  return twice(v) + 1000 * (a < b) + 2000 * (a == b) + 4000 * (order > 0);)");
  ASSERT_EQ(y.size(), 40U);
  for (std::size_t k = 0; k < y.size(); ++k) {
    const int i = static_cast<int>(k);
    EXPECT_EQ(y[k], static_cast<float>(2 * (i + 1) + (i < 25 ? 1000 : i == 25 ? 2000 : 4000))) << i;
  }
}

TEST(DeviceStdTest, SupportsSpansAndPlacementNew) {
  const Floats y = values("#include <new>\n#include <span>\n", R"(
  struct Sum {
    float all;
    explicit Sum(std::span<const float> list) : all(0) { for (const float one : list) all += one; }
  };
  float own[4] = {v, 1, 2, 3};
  const std::span all(own);
  static_assert(decltype(all)::extent == 4);
  alignas(Sum) unsigned char room[sizeof(Sum)];
  const Sum* const sum = new (room) Sum(std::span(x, 3));
  return sum->all + 100 * Sum(all.subspan(1)).all + 10000 * Sum(all.first(2)).all + all.back() * 0 + all[0] * 0 +
         (all.size_bytes() == 16 && !all.empty() && all.last(1).front() == 3 ? 0 : -1);)");
  ASSERT_EQ(y.size(), 40U);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 606 + 10000 * static_cast<float>(i + 2)) << i;
}

TEST(DeviceStdTest, ProvidesMathConstants) {
  const Floats y = values("#include <numbers>\n", R"(
  using namespace std::numbers;
  const float all[] = {e_v<float>, log2e_v<float>, log10e_v<float>, pi_v<float>, inv_pi_v<float>, inv_sqrtpi_v<float>, ln2_v<float>,
                       ln10_v<float>, sqrt2_v<float>, sqrt3_v<float>, inv_sqrt3_v<float>, egamma_v<float>, phi_v<float>};
  static_assert(pi == pi_v<double> && sizeof all == 52);
  return i < 13 ? all[i] : 0;)");
  using namespace std::numbers;
  const Floats expected = {e_v<float>,          log2e_v<float>,  log10e_v<float>, pi_v<float>,    inv_pi_v<float>,
                           inv_sqrtpi_v<float>, ln2_v<float>,    ln10_v<float>,   sqrt2_v<float>, sqrt3_v<float>,
                           inv_sqrt3_v<float>,  egamma_v<float>, phi_v<float>};
  ASSERT_EQ(y.size(), 40U);
  EXPECT_EQ(Floats(y.begin(), y.begin() + 13), expected);
}

// Device headers that a program includes first see none of its macros, nor does the text that precedes it.
TEST(DeviceStdTest, ProgramMacrosDoNotBreakHeaders) {
  Settings settings{
      .defines = {"value=1 +", "mask", "lane=", "width=)", "size=(", "count", "offset", "group", "result"}};
  for (const char letter : std::string("abcdefghijlmopqrstuvABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    settings.defines.push_back(std::string(1, letter) + "=" + (letter == 'T' ? "float" : "broken ("));
  const ElementKernel kernel{.source = R"(#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#define JOINED(_a, _b) _a##_b
__global__ void k(const T* x, T* y, int n) {
  auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  const T all = cooperative_groups::reduce(tile, x[threadIdx.x], cooperative_groups::plus<T>());
  y[threadIdx.x] = JOINED(ex, pf)(0 * x[threadIdx.x]) + __half2float(__float2half(all));
})",
                             .settings = settings};
  EXPECT_EQ(elements<float>(kernel, Floats(64, 2)), Floats(64, 65));
}

TEST(DeviceStdTest, FlagsDefineAndUndefineInOrder) {
  ProgramBuilder builder("flags");
  builder.pointer("y");
  Settings settings{.defines = {"GONE", "n=1"}};
  builder.variant("cuda").settings(settings).source("k.cu", R"(
#ifndef GONE
extern "C" __global__ void k(float* y) { y[threadIdx.x] = TWICE(n); }
#endif
)");
  builder.launch("k").grid({1}).block({1}).args({"y"});
  auto loaded = common_bench().load(builder.build().value(),
                                    {{"compile_flags", "-UGONE\n-DTWICE(_p)=((_p)*2)\n-Un\n-Dn=20\n-D__T=1"}});
  ASSERT_TRUE(loaded.ok()) << loaded.error().explain();
  float y = 0;
  ASSERT_TRUE((*loaded)({slot(&y)}).ok());
  EXPECT_EQ(y, 40);
}

TEST(DeviceStdTest, ProvidesTraitsOfTemplates) {
  const Floats y =
      values("#include <cuda/std/cassert>\n#include <limits>\n#include <type_traits>\n#include <utility>\n", R"(
  struct NoDefault { NoDefault(int); };
  static_assert(std::conjunction_v<> && !std::conjunction_v<std::true_type, std::false_type> && std::disjunction_v<std::false_type, std::true_type>);
  static_assert(std::negation_v<std::false_type> && std::is_same_v<std::add_const_t<int>, const int>);
  static_assert(std::is_same_v<std::add_cv<int>::type, const volatile int> && std::is_same_v<std::add_volatile_t<int>, volatile int>);
  static_assert(std::is_default_constructible_v<int> && !std::is_default_constructible<NoDefault>::value);
  static_assert(std::alignment_of_v<double> == 8 && std::rank_v<int[2][3]> == 2 && std::extent_v<int[2][3], 1> == 3);
  static_assert(std::is_same_v<std::make_integer_sequence<int, 3>, std::integer_sequence<int, 0, 1, 2>>);
  static_assert(std::is_same_v<std::index_sequence_for<int, char>, std::index_sequence<0, 1>>);
  static_assert(std::numeric_limits<float>::has_denorm == std::denorm_present && std::round_toward_neg_infinity == 3);
  assert(v > 0);
  return v;)");
  ASSERT_EQ(y.size(), 40U);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], static_cast<float>(i + 1)) << i;
}

TEST(DeviceStdTest, ProvidesPairsOfFloats) {
  const Floats y = values(
      "__device__ cudaStream_t none(cudaStream_t stream) { return stream; }\n"
      "struct __CUDA_ALIGN__(16) Wide { char c; };\nstatic_assert(alignof(Wide) == 16);\n",
      R"(
  const float2 a = {v, v + 1}, b = {3, 1e8f}, sum = __fadd2_rn(a, b), product = __fmul2_rn(a, b);
  const float2 both = __ffma2_rn(a, b, make_float2(1, -product.y));
  return sum.x + 100 * product.x + 10000 * both.x + (none(nullptr) == nullptr && sum.y == a.y + b.y ? both.y : 1);)");
  ASSERT_EQ(y.size(), 40U);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float v = static_cast<float>(i + 1), lost = std::fma(v + 1, 1e8F, -((v + 1) * 1e8F));
    EXPECT_EQ(y[i], v + 3 + 100 * (3 * v) + 10000 * (3 * v + 1) + lost) << i;
  }
}

TEST(DeviceStdTest, ChoosesCodeForDevices) {
  const Floats y = values("#include <nv/target>\n__device__ float pick(float a, float b) { return a - b; }\n", R"(
  float sum = 0;
  NV_IF_TARGET(NV_IS_DEVICE, sum += pick(v, 1);)
  NV_IF_TARGET(NV_IS_HOST, (sum = -1; return v;))
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_61, (const float a = 1, b = 2; sum += a + b;), (return 0;))
  NV_IF_ELSE_TARGET(NV_IS_HOST, return 0;, sum *= 2;)
  return sum;)");
  ASSERT_EQ(y.size(), 40U);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 2 * static_cast<float>(i + 3)) << i;
}

}  // namespace
}  // namespace kmux::cpu::device_std
