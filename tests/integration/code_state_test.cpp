// Variables that code keeps between launches: no better tier resets them, and each kernel has separate ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/jit.h"
#include "kmux/par_compile.h"
#include "kmux/tensor.h"

#include "shared_cache.h"
#include "temp_folder.h"

namespace kmux {
namespace {

constexpr const char* kInC =
    "static int counter;\n"
    "void counting(int* y) { static int more = 10; y[0] = ++counter; y[1] = ++more; }\n";
constexpr const char* kForGpus =
    "__device__ int counter;\n"
    "__device__ int more[2] = {10, 10};\n"
    "extern \"C\" __global__ void counting(int* y) {\n"
    "  if (threadIdx.x == 0) y[0] = atomicAdd(&counter, 1) + 1;\n"
    "  if (threadIdx.x == 1) y[1] = ++more[1];\n"
    "}\n";

/// Returns a program that writes the number of its runs, from one on, and the same plus ten.
Program counting(const std::string& dialect) {
  ProgramBuilder builder("counting");
  builder.output("y", dtype::kInt32, {2});
  builder.variant(dialect);
  builder.source(dialect == "c" ? "counting.c" : "counting.cu", dialect == "c" ? kInC : kForGpus);
  LaunchBuilder launch = builder.launch("counting");
  if (dialect != "c") launch.grid({Expr(1)}).block({Expr(32)});
  launch.args({"y"});
  return builder.build().value();
}

std::vector<int> call(const Kernel& kernel) {
  const Tensor y = kernel().and_then(single).value();
  return {y.data_as<int>(), y.data_as<int>() + 2};
}

struct Case {
  const char* dialect;
  const char* engine;
};

class CodeStateTest : public testing::TestWithParam<Case> {
 protected:
  CompileOptions options() const { return {.target = "cpu", .options = {{"engine", GetParam().engine}}}; }
  Shared<Runtime> runtime() const { return runtime_with_cache(folder_.path() / "cache"); }
  Program program() const { return counting(GetParam().dialect); }

  TempFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Dialects, CodeStateTest,
                         testing::Values(Case{"c", "clang"}, Case{"c", "host"}, Case{"cuda", "clang"},
                                         Case{"hip", "clang"}),
                         [](const auto& one) { return std::string(one.param.dialect) + "_" + one.param.engine; });

TEST_P(CodeStateTest, PersistsAcrossTiers) {
  const auto shared = runtime();
  const Kernel kernel = compile(*shared, program(), options()).value();
  EXPECT_EQ(kernel.tier(), "full") << "nothing could replace it";
  for (int i = 1; i < 4; ++i) EXPECT_EQ(call(kernel), (std::vector<int>{i, i + 10}));
  ASSERT_TRUE(kernel.await_best().ok());
  EXPECT_EQ(call(kernel), (std::vector<int>{4, 14}));
}

TEST_P(CodeStateTest, IsSeparatePerKernel) {
  const auto shared = runtime();
  const Kernel first = compile(*shared, program(), options()).value();
  for (int i = 1; i < 4; ++i) call(first);
  const Kernel second = compile(*shared, program(), options()).value();
  EXPECT_EQ(call(second), (std::vector<int>{1, 11}));
  EXPECT_EQ(call(first), (std::vector<int>{4, 14}));
  const Kernel copy = first;  // refers to the same kernel
  EXPECT_EQ(call(copy), (std::vector<int>{5, 15}));
  EXPECT_TRUE(copy.has_state());
}

// Identical jobs are compiled once, but each gets a kernel.
TEST_P(CodeStateTest, IsSeparatePerJobOfParCompile) {
  const auto shared = runtime();
  const std::vector<Program> programs(3, program());
  const std::vector<Kernel> kernels = par_compile(*shared, programs, options()).value();
  for (int i = 1; i < 4; ++i) EXPECT_EQ(call(kernels[0]), (std::vector<int>{i, i + 10}));
  EXPECT_EQ(call(kernels[1]), (std::vector<int>{1, 11}));
  EXPECT_EQ(call(kernels[2]), (std::vector<int>{1, 11}));
}

struct CountingConfig {
  int number;
};
BOOST_DESCRIBE_STRUCT(CountingConfig, (), (number))

// Each configuration has one kernel, whatever order it is asked in, and also where the programs are equal.
TEST_P(CodeStateTest, IsSeparatePerConfigurationOfJit) {
  const auto kernels = jit([this](const CountingConfig&) { return program(); }, options(), {.runtime = runtime()});
  const Kernel first = kernels(CountingConfig{1}).value();
  for (int i = 1; i < 4; ++i) EXPECT_EQ(call(first), (std::vector<int>{i, i + 10}));
  EXPECT_EQ(call(kernels(CountingConfig{2}).value()), (std::vector<int>{1, 11}));
  const std::vector<Kernel> all =
      kernels.par_compile({CountingConfig{3}, CountingConfig{1}, CountingConfig{4}, CountingConfig{3}}).value();
  EXPECT_EQ(call(all[1]), (std::vector<int>{4, 14}));
  EXPECT_EQ(call(all[0]), (std::vector<int>{1, 11}));
  EXPECT_EQ(call(all[2]), (std::vector<int>{1, 11}));
  EXPECT_EQ(call(all[3]), (std::vector<int>{2, 12})) << "the configuration of the first";
  EXPECT_EQ(call(kernels(CountingConfig{2}).value()), (std::vector<int>{2, 12}));
}

// A first tier that an earlier process left alone in the cache is also skipped.
TEST_P(CodeStateTest, PersistsWithCachedFirstTier) {
  CompileOptions first = options();
  first.options["tier"] = "fast";
  ASSERT_TRUE(build(*runtime(), program(), first).ok());
  const auto shared = runtime();
  const Kernel kernel = compile(*shared, program(), options()).value();
  EXPECT_EQ(kernel.tier(), "full");
  EXPECT_EQ(call(kernel), (std::vector<int>{1, 11}));
  ASSERT_TRUE(kernel.await_best().ok());
  EXPECT_EQ(call(kernel), (std::vector<int>{2, 12}));
}

TEST_P(CodeStateTest, PreventsTuning) {
  const auto shared = runtime();
  CompileOptions measured = options();
  measured.policy = Policy::kMeasured;
  const Kernel kernel = compile(*shared, program(), measured).value();
  for (int i = 1; i < 4; ++i) EXPECT_EQ(call(kernel), (std::vector<int>{i, i + 10}));
  const Tensor y = Tensor::zeros({2}, dtype::kInt32).value();
  const auto tuned = kernel.tune({y});
  ASSERT_FALSE(tuned.ok());
  EXPECT_EQ(tuned.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(tuned.error().message, testing::HasSubstr("its code keeps values between launches, in counter"));
  EXPECT_EQ(call(kernel), (std::vector<int>{4, 14}));
}

}  // namespace
}  // namespace kmux
