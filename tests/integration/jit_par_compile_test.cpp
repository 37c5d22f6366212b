// Many configurations of a jit function at once, over the cpu backend.
#include <atomic>
#include <latch>
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/jit.h"

#include "compile_counter.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

struct ParConfig {
  std::int64_t value = 0;
};
BOOST_DESCRIBE_STRUCT(ParConfig, (), (value))

/// Returns y[0] = value. 13 does not compile; a negative value has no program.
Result<Program> constant(const ParConfig& config) {
  if (config.value < 0) return make_error(ErrorCode::kUnsupported, "negative");
  ProgramBuilder b("constant");
  b.output("y", dtype::kFloat32, {1}).variant("c").define("VALUE", config.value);
  b.source("constant.c", config.value == 13 ? "bad luck" : "void constant(float* y) { y[0] = VALUE; }\n");
  b.launch("constant").args({"y"});
  return b.build();
}

auto wrapper() { return jit(constant, {.target = "cpu"}); }
float value_of(const Kernel& kernel) { return *kernel().and_then(single).value().data_as<float>(); }
bool are_the_same(const Kernel& a, const Kernel& b) { return &a.name() == &b.name(); }

TEST(JitParCompileTest, KeepsInputOrder) {
  const auto kernels =
      wrapper().par_compile({ParConfig{3}, NamedValues{{"value", 1}}, NamedValues{}, ParConfig{2}}).value();
  ASSERT_THAT(kernels, SizeIs(4));
  EXPECT_THAT((std::array{value_of(kernels[0]), value_of(kernels[1]), value_of(kernels[2]), value_of(kernels[3])}),
              ElementsAre(3, 1, 0, 2));
}

TEST(JitParCompileTest, SharesKernelsWithCalls) {
  const CompileCounter counter;
  const auto one = wrapper();
  const Kernel before = one({.value = 1}).value();
  const auto kernels = one.par_compile({ParConfig{1}, ParConfig{2}}).value();
  EXPECT_TRUE(are_the_same(before, kernels[0]));
  EXPECT_TRUE(are_the_same(kernels[1], one({.value = 2}).value()));
  EXPECT_EQ(counter.compiles(), 2);
}

TEST(JitParCompileTest, CompilesEqualConfigurationsOnce) {
  const CompileCounter counter;
  const auto kernels = wrapper().par_compile({ParConfig{1}, NamedValues{{"value", 1}}, ParConfig{1}}).value();
  EXPECT_TRUE(are_the_same(kernels[0], kernels[1]));
  EXPECT_TRUE(are_the_same(kernels[0], kernels[2]));
  EXPECT_EQ(counter.compiles(), 1);
}

TEST(JitParCompileTest, RejectsUnknownNames) {
  EXPECT_THAT(wrapper().par_compile({ParConfig{1}, NamedValues{{"valeu", 1}}}).error().message,
              HasSubstr("Did you mean 'value'?"));
}

TEST(JitParCompileTest, ReturnsFirstFailureInInputOrder) {
  const CompileCounter counter;
  const auto one = wrapper();
  const Error compile_first = one.par_compile({ParConfig{1}, ParConfig{13}, ParConfig{-1}}).error();
  EXPECT_EQ(compile_first.code, ErrorCode::kCompileFailed);
  EXPECT_EQ(compile_first.note("config"), R"({"value":13})");
  const Error function_first = one.par_compile({ParConfig{1}, ParConfig{-1}, ParConfig{13}}).error();
  EXPECT_EQ(function_first.message, "negative");
  EXPECT_EQ(function_first.note("config"), R"({"value":-1})");
}

TEST(JitParCompileTest, ContinuesAfterFailuresWhenRequested) {
  const auto one = wrapper();
  const auto kernels =
      one.try_par_compile({ParConfig{-1}, ParConfig{13}, ParConfig{4}, NamedValues{{"value", 13}}}).value();
  ASSERT_THAT(kernels, SizeIs(4));
  EXPECT_EQ(kernels[0].error().message, "negative");
  EXPECT_EQ(value_of(kernels[2].value()), 4);
  // Each error names its configuration, although two are one program.
  for (const std::size_t place : {1U, 3U}) EXPECT_EQ(kernels[place].error().note("config"), R"({"value":13})");
  EXPECT_FALSE(one({.value = 13}).ok());  // no call waits for abandoned compiles
}

TEST(JitParCompileTest, ReportsProgressByInputIndex) {
  const auto one = wrapper();
  ASSERT_TRUE(one({.value = 1}).ok());
  std::map<std::size_t, JobStep> last;
  const auto progress = [&](const CompileProgress& event) { last[event.index] = event.step; };
  ASSERT_TRUE(one.par_compile({ParConfig{1}, ParConfig{2}, ParConfig{1}, ParConfig{3}}, {.progress = progress}).ok());
  EXPECT_THAT(last, ElementsAre(testing::Pair(1, JobStep::kDone), testing::Pair(3, JobStep::kDone)));
}

TEST(JitParCompileTest, KernelIsAvailableOnceDone) {
  const CompileCounter counter;
  const auto one = wrapper();
  int asked = 0;
  const auto ask = [&](std::int64_t value) {
    ++asked;
    EXPECT_EQ(value_of(one({.value = value}).value()), value);
  };
  const auto progress = [&](const CompileProgress& event) {
    if (event.step != JobStep::kDone) return;
    std::jthread([&] { ask(1 + static_cast<std::int64_t>(event.index)); }).join();
    ask(3);  // may not be done yet
  };
  ASSERT_TRUE(
      one.par_compile({ParConfig{1}, ParConfig{2}, ParConfig{3}}, {.num_workers = 1, .progress = progress}).ok());
  EXPECT_EQ(asked, 6);
  EXPECT_EQ(counter.compiles(), 3);
}

TEST(JitParCompileTest, ReleasesFailedCompilesBeforeCallbacks) {
  const auto one = wrapper();
  int asked = 0;
  const auto ask = [&] {
    ++asked;
    EXPECT_FALSE(one({.value = 13}).ok());
    EXPECT_TRUE(one({.value = 4}).ok());
  };
  const auto progress = [&](const CompileProgress& event) {
    if (event.step == JobStep::kFailed || event.step == JobStep::kCancelled) ask();
  };
  const std::vector<ConfigForm<ParConfig>> configs = {ParConfig{13}, ParConfig{4}};
  ASSERT_TRUE(one.try_par_compile(configs, {.progress = progress}).ok());
  EXPECT_EQ(asked, 1);
  const auto other = wrapper();
  const auto ask_other = [&](const CompileProgress& event) {
    if (event.step != JobStep::kCancelled) return;
    EXPECT_TRUE(other({.value = 4}).ok());
  };
  EXPECT_FALSE(other.par_compile(configs, {.num_workers = 1, .progress = ask_other}).ok());
}

TEST(JitParCompileTest, FunctionMayRequestAnotherConfiguration) {
  std::function<Result<Kernel>(std::int64_t)> other;
  const auto one = jit(
      [&](const ParConfig& config) -> Result<Program> {
        if (config.value == 2) KMUX_TRY(other(1));
        return constant(config);
      },
      {.target = "cpu"}, {.name = "constant"});
  other = [&](std::int64_t value) { return one({.value = value}); };
  EXPECT_TRUE(one.par_compile({ParConfig{1}, ParConfig{2}}).ok());
}

TEST(JitParCompileTest, SharesWorkWithConcurrentCalls) {
  const CompileCounter counter;
  const auto one = wrapper();
  std::atomic<int> right = 0;
  std::latch all(9);
  std::vector<std::jthread> threads;
  const auto compile = [&](std::vector<ConfigForm<ParConfig>> configs) {
    threads.emplace_back([&, configs = std::move(configs)] {
      all.arrive_and_wait();
      if (one.par_compile(configs).ok()) ++right;
    });
  };
  for (int i = 0; i < 4; ++i) {
    compile({ParConfig{1}, ParConfig{2}, ParConfig{3}});
    compile({ParConfig{3}, ParConfig{2}, ParConfig{1}});
  }
  all.arrive_and_wait();
  EXPECT_EQ(value_of(one({.value = 2}).value()), 2);
  threads.clear();
  EXPECT_EQ(right, 8);
  EXPECT_EQ(counter.compiles(), 3);
}

TEST(JitParCompileTest, AcceptsEmptyConfigurationList) { EXPECT_THAT(wrapper().par_compile({}).value(), SizeIs(0)); }

}  // namespace
}  // namespace kmux
