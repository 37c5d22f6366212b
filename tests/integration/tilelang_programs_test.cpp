// What TileLang generated, compiled and run by the cpu plugin, against references computed here in double.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include <gmock/gmock.h>

#include "kmux/compile.h"
#include "kmux/program.h"

#include "needs.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using Shape = std::vector<std::int64_t>;

template <class T>
std::span<T> values(const Tensor& tensor) {
  return {tensor.data_as<T>(), static_cast<std::size_t>(tensor.element_count())};
}

Tensor random_floats(Shape shape, float low = -1, float high = 1) {
  static std::mt19937 bits(2024);
  const Tensor tensor = Tensor::empty(std::move(shape), dtype::kFloat32).value();
  std::uniform_real_distribution<float> distribution(low, high);
  for (float& value : values<float>(tensor)) value = distribution(bits);
  return tensor;
}

std::vector<double> matmul(const Tensor& a, const Tensor& b) {
  const std::int64_t m = a.shape()[0], k = a.shape()[1], n = b.shape()[1];
  std::vector<double> c(static_cast<std::size_t>(m * n), 0.0);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t p = 0; p < k; ++p)
      for (std::int64_t j = 0; j < n; ++j)
        c[i * n + j] += double{a.data_as<float>()[i * k + p]} * double{b.data_as<float>()[p * n + j]};
  return c;
}

template <class T>
void expect_near(const Tensor& actual, const std::vector<double>& expected, double tolerance = 1e-4) {
  ASSERT_EQ(static_cast<std::size_t>(actual.element_count()), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(static_cast<double>(values<T>(actual)[i]), expected[i],
                tolerance * std::max(1.0, std::abs(expected[i])))
        << "element " << i;
}

// Each program in each tier.
class TileLangPrograms : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(KMUX_TEST_TILELANG_HEADERS) / "tl_templates/cpp/common.h"))
      GTEST_SKIP() << needs("TileLang's headers", KMUX_TEST_TILELANG_HEADERS "; ./kmux.sh test fetches them");
  }

  static Result<Kernel> compile_with(const std::string& name, CompileOptions options) {
    options.include_dirs = {KMUX_TEST_TILELANG_HEADERS};
    options.options["tier"] = GetParam();
    const fs::path path = fs::path(KMUX_TEST_DATA_DIR) / "tilelang" / name / (name + ".kmux.json");
    return compile(load_program(path).value(), options);
  }
  static Kernel compiled(const std::string& name) { return compile_with(name, {.target = "auto"}).value(); }
};
INSTANTIATE_TEST_SUITE_P(EachTier, TileLangPrograms, testing::Values("fast", "full", "tiered"));

TEST_P(TileLangPrograms, GemmOfFixedShape) {
  const Kernel gemm = compiled("gemm");
  EXPECT_EQ(gemm.backend(), "cpu");
  const Tensor a = random_floats({256, 256}), b = random_floats({256, 256});
  expect_near<float>(gemm(a, b).and_then(single).value(), matmul(a, b));
}

TEST_P(TileLangPrograms, GemmOfAnyNumberOfRows) {
  const Kernel gemm = compiled("gemm_dynamic");
  const Tensor b = random_floats({256, 256});
  for (const std::int64_t m : {0, 1, 63, 64, 65, 300}) {
    const Tensor a = random_floats({m, 256});
    expect_near<float>(gemm(a, b).and_then(single).value(), matmul(a, b));
  }
}

TEST_P(TileLangPrograms, ScaleTakesAScalar) {
  const Kernel scale = compiled("scale");
  for (const std::int64_t n : {1, 1023, 1025, 5000}) {
    const Tensor x = random_floats({n});
    std::vector<double> expected(values<float>(x).begin(), values<float>(x).end());
    for (double& value : expected) value *= -2.5;
    expect_near<float>(scale(x, -2.5).and_then(single).value(), expected);
  }
}

TEST_P(TileLangPrograms, AffineTakesScalarsOfEachWidth) {
  const Kernel affine = compiled("affine");
  const Tensor x = Tensor::empty({100}, dtype::kFloat64).value();
  for (int i = 0; i < 100; ++i) values<double>(x)[i] = i;
  std::vector<double> expected(100, 0.0);
  for (int i = 0; i < 60; ++i) expected[i] = 0.25 * i + (7 << 3);
  expect_near<double>(affine(x, 60, 3, 7, 0.25).and_then(single).value(), expected, 0);
}

TEST_P(TileLangPrograms, AddHalfKeepsItsType) {
  const Kernel add = compiled("add_half");
  const Tensor a = Tensor::empty({3}, dtype::kFloat16).value(), b = a.clone().value();
  const std::uint16_t one_half = 0x3800, three = 0x4200, minus_two = 0xC000;
  std::ranges::copy(std::array{one_half, three, minus_two}, values<std::uint16_t>(a).begin());
  std::ranges::copy(std::array{one_half, minus_two, minus_two}, values<std::uint16_t>(b).begin());
  const Tensor c = add(a, b).and_then(single).value();
  EXPECT_EQ(c.dtype(), dtype::kFloat16);
  EXPECT_THAT(values<std::uint16_t>(c), testing::ElementsAre(0x3C00, 0x3C00, 0xC400));  // 1, 1, -4
}

TEST_P(TileLangPrograms, RowSumOfAnyShape) {
  const Kernel row_sum = compiled("row_sum");
  for (const Shape& shape : {Shape{1, 1}, Shape{37, 113}, Shape{5, 0}, Shape{0, 5}}) {
    const Tensor x = random_floats(shape);
    std::vector<double> expected(static_cast<std::size_t>(shape[0]), 0.0);
    for (std::int64_t i = 0; i < x.element_count(); ++i) expected[i / shape[1]] += double{values<float>(x)[i]};
    expect_near<float>(row_sum(x).and_then(single).value(), expected);
  }
}

TEST_P(TileLangPrograms, SoftmaxOfRows) {
  const Tensor x = random_floats({40, 128}, -20, 20);
  std::vector<double> expected;
  for (int row = 0; row < 40; ++row) {
    const std::span<float> in = values<float>(x).subspan(row * 128, 128);
    const double largest = double{*std::ranges::max_element(in)};
    double total = 0;
    for (const float value : in) total += std::exp(double{value} - largest);
    for (const float value : in) expected.push_back(std::exp(double{value} - largest) / total);
  }
  expect_near<float>(compiled("softmax")(x).and_then(single).value(), expected);
}

TEST_P(TileLangPrograms, ExtremesReturnThreeOutputsInOrder) {
  const Tensor x = random_floats({30, 17});
  const Outputs outputs = compiled("extremes")(x).value();
  ASSERT_EQ(outputs.size(), 3U);
  EXPECT_EQ(outputs[2].dtype(), dtype::kInt32);
  for (int row = 0; row < 30; ++row) {
    const std::span<float> in = values<float>(x).subspan(row * 17, 17);
    const auto [low, high] = std::ranges::minmax_element(in);
    EXPECT_EQ(values<float>(outputs[0])[row], *low);
    EXPECT_EQ(values<float>(outputs[1])[row], *high);
    EXPECT_EQ(values<std::int32_t>(outputs[2])[row], high - in.begin());
  }
}

TEST_P(TileLangPrograms, TwoRegionsRunInOrder) {
  const Tensor x = random_floats({50, 64}, 1, 2);
  const Outputs outputs = compiled("normalize_columns")(x).value();
  std::vector<double> total(64, 0.0), expected;
  for (std::size_t i = 0; i < 50 * 64; ++i) total[i % 64] += double{values<float>(x)[i]};
  for (std::size_t i = 0; i < 50 * 64; ++i) expected.push_back(double{values<float>(x)[i]} / total[i % 64]);
  expect_near<float>(outputs[0], total);
  expect_near<float>(outputs[1], expected);
}

TEST_P(TileLangPrograms, UnpackBytesSizesItsOutputByAnExpression) {
  const Tensor packed = Tensor::from<std::int32_t>({2}, dtype::kInt32, std::array{0x04030201, -2}).value();
  const Tensor bytes = compiled("unpack_bytes")(packed).and_then(single).value();
  EXPECT_THAT(bytes.shape(), testing::ElementsAre(8));
  EXPECT_THAT(values<std::int8_t>(bytes), testing::ElementsAre(1, 2, 3, 4, -2, -1, -1, -1));
}

TEST_P(TileLangPrograms, PackRowsReadsTheStrideOfItsInput) {
  const Tensor wide = random_floats({6, 9});
  const Tensor x = Tensor::borrow(wide.data(), {6, 5}, dtype::kFloat32, {}, {9, 1});
  std::vector<double> expected;
  for (int i = 0; i < 6 * 5; ++i) expected.push_back(double{values<float>(wide)[i / 5 * 9 + i % 5]});
  expect_near<float>(compiled("pack_rows")(x).and_then(single).value(), expected, 0);
}

TEST_P(TileLangPrograms, CopyTakesNullWhereNoKernelReads) {
  const Kernel copy = compiled("copy_without_bias");
  const Tensor x = random_floats({9});
  const std::vector<double> expected(values<float>(x).begin(), values<float>(x).end());
  expect_near<float>(copy(x, nullptr).and_then(single).value(), expected, 0);
  expect_near<float>(copy(x, random_floats({9})).and_then(single).value(), expected, 0);
  const auto refused = copy(nullptr, nullptr);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
}

TEST_P(TileLangPrograms, RefusesAWrongShape) {
  const auto refused = compiled("gemm_dynamic")(random_floats({10, 255}), random_floats({256, 256}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, testing::AllOf(HasSubstr("gemm_dynamic"), HasSubstr("A"), HasSubstr("255")));
}

TEST_P(TileLangPrograms, AgreeUnderBothEngines) {
  const Tensor a = random_floats({70, 256}), b = random_floats({256, 256});
  for (const std::string engine : {"clang", "host"}) {
    const Result<Kernel> gemm =
        compile_with("gemm_dynamic", {.execution_backend = "cpu", .options = {{"engine", engine}}});
    ASSERT_TRUE(gemm.ok()) << engine << ": " << gemm.error().explain();
    expect_near<float>((*gemm)(a, b).and_then(single).value(), matmul(a, b));
  }
}

TEST_P(TileLangPrograms, SayWhatIsMissingWithoutTheHeaders) {
  const fs::path path = fs::path(KMUX_TEST_DATA_DIR) / "tilelang/gemm/gemm.kmux.json";
  const Result<Kernel> gemm = compile(load_program(path).value(), {.execution_backend = "cpu"});
  ASSERT_FALSE(gemm.ok());
  EXPECT_EQ(gemm.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(gemm.error().explain(), HasSubstr("tl_templates"));
}

}  // namespace
}  // namespace kmux
