// Constants: module variables that are set by name, in stream order.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"

#include "../needs.h"
#include "subject.h"

namespace kmux::conformance {
namespace {

using testing::HasSubstr;

/// Returns y = scale * x * weights[i % 4] + bias; the source initialises the scale. `declared` are the program's
/// constants.
Program weighted_program(std::vector<Constant> declared) {
  ProgramBuilder builder("weighted");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n}).output("y", dtype::kFloat32, {n});
  for (Constant& constant : declared) builder.constant(std::move(constant));
  for (const std::string dialect : {"cuda", "hip"}) {
    builder.variant(dialect).source(dialect == "cuda" ? "weighted.cu" : "weighted.hip", R"(
__constant__ float weights[4];
namespace filters {
__device__ float bias;
__constant__ float scale = 2;
}
extern "C" __global__ void weighted(const float* x, float* y, long long n) {
  for (long long i = 0; i < n; ++i) y[i] = filters::scale * x[i] * weights[i & 3] + filters::bias;
}
)");
    builder.launch("weighted").grid({1}).block({1}).args({"x", "y", "n"});
  }
  return builder.build().value();
}

Program weighted_program() {
  return weighted_program({{"weights", dtype::kFloat32, {4}},
                           {"filters::bias", dtype::kFloat32},
                           {"filters::scale", dtype::kFloat32, {}, true}});
}

Tensor floats(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return Tensor::from<float>(std::move(shape), dtype::kFloat32, values).value();
}

std::vector<float> weighted(const Kernel& kernel) {
  auto& subject = Subject::current();
  const auto y = kernel(subject.upload<float>({5}, dtype::kFloat32, {1, 2, 3, 4, 5}));
  EXPECT_TRUE(y.ok()) << (y ? "" : y.error().explain());
  return y ? subject.download<float>(single(*y).value()) : std::vector<float>();
}

void expect_refused(const Status& status, const std::string& part) {
  ASSERT_FALSE(status.ok()) << part;
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.error().message, HasSubstr(part));
}

/// Skips the group for a plugin whose manifest promises no constants, or without a kernel in a dialect of the plugin.
class Constants : public testing::Test {
 protected:
  void SetUp() override {
    const Subject& subject = Subject::current();
    const std::vector<std::string>& features = subject.plugin()->manifest().features;
    if (std::ranges::find(features, "constants") == features.end())
      GTEST_SKIP() << needs("feature constants", "the manifest of \"" + subject.name() + "\" does not have it");
    if (const std::string why = subject.why_without_kernel(weighted_program()); !why.empty())
      GTEST_SKIP() << needs(kDeviceDialect, why);
  }
};

TEST_F(Constants, AreSetByTheirNames) {
  auto& subject = Subject::current();
  const Kernel kernel = subject.compile(weighted_program()).value();
  const Tensor x = subject.zeros({5}, dtype::kFloat32), y = subject.zeros({5}, dtype::kFloat32);
  expect_refused(kernel.launch({x, y}), "constants have no value on device 0 (\"weights\", \"filters::bias\")");
  EXPECT_TRUE(kernel.set_constant("weights", floats({4}, {1, 10, 100, 1000})).ok());
  expect_refused(kernel.launch({x, y}), "constants have no value on device 0 (\"filters::bias\")");
  const Status set = kernel.set_constant("filters::bias", floats({}, {0.5F}));
  EXPECT_TRUE(set.ok()) << (set ? "" : set.error().explain());
  EXPECT_EQ(weighted(kernel), (std::vector<float>{2.5, 40.5, 600.5, 8000.5, 10.5}));
  EXPECT_TRUE(kernel.set_constant("filters::scale", floats({}, {1})).ok());
  EXPECT_TRUE(kernel.set_constant("weights", floats({4}, {1, 1, 1, 0})).ok());
  EXPECT_EQ(weighted(kernel), (std::vector<float>{1.5, 2.5, 3.5, 0.5, 5.5}));
}

TEST_F(Constants, AreInTheOrderOfAStream) {
  auto& subject = Subject::current();
  const Kernel kernel = subject.compile(weighted_program()).value();
  const Stream stream = Stream::create(subject.device()).value();
  const Tensor x = subject.upload<float>({4}, dtype::kFloat32, {1, 1, 1, 1});
  const Tensor first = subject.zeros({4}, dtype::kFloat32), second = subject.zeros({4}, dtype::kFloat32);
  const Tensor ones = subject.upload<float>({4}, dtype::kFloat32, {1, 1, 1, 1});
  ASSERT_TRUE(kernel.set_constant("filters::bias", floats({}, {0}), stream).ok());
  ASSERT_TRUE(kernel.set_constant("weights", floats({4}, {1, 2, 3, 4}), stream).ok());
  ASSERT_TRUE(kernel.launch({x, first}, stream).ok());
  ASSERT_TRUE(kernel.set_constant("weights", ones, stream).ok());
  ASSERT_TRUE(kernel.launch({x, second}, stream).ok());
  ASSERT_TRUE(stream.synchronize().ok());
  EXPECT_EQ(subject.download<float>(first), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(subject.download<float>(second), (std::vector<float>{2, 2, 2, 2}));
}

TEST_F(Constants, BelongToOneKernel) {
  auto& subject = Subject::current();
  const Kernel one = subject.compile(weighted_program()).value();
  const Kernel other = subject.compile(weighted_program()).value();
  const Kernel copy = one;
  for (const Kernel& kernel : {one, other}) ASSERT_TRUE(kernel.set_constant("filters::bias", floats({}, {0})).ok());
  ASSERT_TRUE(copy.set_constant("weights", floats({4}, {1, 1, 1, 1})).ok());
  ASSERT_TRUE(other.set_constant("weights", floats({4}, {0, 0, 0, 0})).ok());
  EXPECT_EQ(weighted(one), (std::vector<float>{2, 4, 6, 8, 10}));
  EXPECT_EQ(weighted(other), std::vector<float>(5, 0));
}

TEST_F(Constants, OfAnotherTypeOrShapeAreRefused) {
  const Kernel kernel = Subject::current().compile(weighted_program()).value();
  expect_refused(kernel.set_constant("weigths", floats({4}, {1, 1, 1, 1})),
                 "kernel \"weighted\": no constant \"weigths\". Did you mean 'weights'?");
  expect_refused(kernel.set_constant("weights", floats({3}, {1, 1, 1})),
                 "constant \"weights\" is float32[4] (found float32[3])");
  expect_refused(kernel.set_constant("weights", Tensor::zeros({4}, dtype::kInt32).value()), "(found int32[4])");
  expect_refused(kernel.set_constant("weights", floats({8}, std::vector<float>(8)).as_strided({4}, {2})),
                 "found a strided tensor");
  expect_refused(kernel.set_constant("weights", {}), "found a null tensor");
}

TEST_F(Constants, ThatTheCodeHasNotAreErrorsOfTheBuild) {
  const auto kernel = Subject::current().compile(weighted_program({{"weight", dtype::kFloat32, {4}}}));
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().code, ErrorCode::kCompileFailed);
}

// Some code reports its sizes only after it is loaded.
TEST_F(Constants, OfAnotherSizeAreRefused) {
  const auto kernel = Subject::current().compile(weighted_program({{"weights", dtype::kFloat32, {8}}}));
  const Status status =
      kernel ? kernel->set_constant("weights", floats({8}, std::vector<float>(8))) : Status(kernel.error());
  expect_refused(status, "constant \"weights\" has 16 bytes in the code");
  EXPECT_THAT(status.error().message, HasSubstr("32"));
}

} // namespace
} // namespace kmux::conformance
