// A function of a configuration that returns kernels, through the whole chain and the cpu backend.
#include <atomic>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/environment.h"
#include "kmux/jit.h"
#include "kmux/plugin/file_io.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "compile_counter.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

struct LazyConfig {
  std::int64_t factor = 2;
  bool negate = false;
  std::string comment = "none";  // has no effect
};
BOOST_DESCRIBE_STRUCT(LazyConfig, (), (factor, negate, comment))

constexpr const char* kSource = "void scale(const float* x, float* y) { y[0] = (NEGATE ? -1 : 1) * FACTOR * x[0]; }\n";

/// Returns y[0] = factor * x[0], or -factor * x[0]. A factor of 13 does not compile.
Program scale(const LazyConfig& config) {
  ProgramBuilder b("scale");
  b.input("x", dtype::kFloat32, {1}).output("y", dtype::kFloat32, {1});
  b.variant("c").define("FACTOR", config.factor).define("NEGATE", config.negate ? 1 : 0);
  b.source("scale.c", config.factor == 13 ? "bad luck" : kSource);
  b.launch("scale").args({"x", "y"});
  return b.build().value();
}

float applied(const Kernel& kernel, float x) {
  const Tensor y = kernel(Tensor::from<float>({1}, dtype::kFloat32, std::array{x}).value()).and_then(single).value();
  return *y.data_as<float>();
}
bool is_same_kernel(const Kernel& a, const Kernel& b) { return &a.name() == &b.name(); }

TEST(JitLazyTest, CompilesKernelOfConfiguration) {
  const auto kernels = jit(scale);
  EXPECT_EQ(applied(kernels().value(), 5), 10);
  EXPECT_EQ(applied(kernels({.factor = 3, .negate = true}).value(), 5), -15);
  EXPECT_EQ(applied(kernels(NamedValues{{"negate", true}}).value(), 5), -10);
}

TEST(JitLazyTest, CompilesOnceForEquivalentRequests) {
  const CompileCounter counter;
  const auto kernels = jit(scale);
  const Kernel first = kernels({.factor = 3}).value();
  EXPECT_TRUE(is_same_kernel(first, kernels({.factor = 3}).value()));
  EXPECT_TRUE(is_same_kernel(first, kernels(NamedValues{{"comment", "none"}, {"factor", 3}}).value()));
  EXPECT_TRUE(is_same_kernel(first, kernels.compile({.factor = 3}).value()));
  EXPECT_TRUE(is_same_kernel(first, kernels.compile(NamedValues{{"factor", 3}}).value()));
  const auto copy = kernels;
  EXPECT_TRUE(is_same_kernel(first, copy({.factor = 3}).value()));
  EXPECT_EQ(counter.compiles(), 1);
  EXPECT_FALSE(is_same_kernel(first, kernels({.factor = 4}).value()));
  EXPECT_EQ(counter.compiles(), 2);
}

TEST(JitLazyTest, CallReusesKernelFromCompile) {
  const CompileCounter counter;
  const auto kernels = jit(scale);
  const Kernel first = kernels.compile({.factor = 5}).value();
  EXPECT_TRUE(is_same_kernel(first, kernels({.factor = 5}).value()));
  EXPECT_EQ(counter.compiles(), 1);
}

TEST(JitLazyTest, CompilesEqualProgramsOnce) {
  const CompileCounter counter;
  const auto kernels = jit(scale);
  EXPECT_TRUE(is_same_kernel(kernels({.comment = "a"}).value(), kernels({.comment = "b"}).value()));
  EXPECT_EQ(counter.compiles(), 1);
}

TEST(JitLazyTest, CompilesOnceFor16Threads) {
  const auto kernels = jit(scale);
  expect_one_compile_for_16_threads([&](int) { return applied(kernels({.factor = 7}).value(), 2) == 14; });
}

TEST(JitLazyTest, DoesNotCacheFailedCompile) {
  const CompileCounter counter;
  const auto kernels = jit(scale);
  const Error error = kernels({.factor = 13}).error();
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_EQ(error.note("config"), R"({"comment":"none","factor":13,"negate":false})");
  EXPECT_FALSE(kernels({.factor = 13}).ok());
  EXPECT_EQ(counter.compiles(), 2);
}

TEST(JitLazyTest, ReturnsFunctionErrors) {
  std::atomic<int> calls = 0;
  const auto kernels = jit([&calls](const LazyConfig& config) -> Result<Program> {
    if (++calls == 1) return make_error(ErrorCode::kUnsupported, "not today");
    return scale(config);
  });
  const Error error = kernels().error();
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_EQ(error.message, "not today");
  EXPECT_TRUE(error.note("config"));
  EXPECT_TRUE(kernels().ok());  // not remembered
}

TEST(JitLazyTest, ConvertsExceptionsToErrors) {
  const auto thrown = [](auto exception) {
    return jit([exception](const LazyConfig&) -> Program { throw exception; }, {}, {.name = "f"})().error();
  };
  EXPECT_EQ(thrown(Exception(make_error(ErrorCode::kUnsupported, "as it is"))).message, "as it is");
  EXPECT_EQ(thrown(std::runtime_error("oh")).message,
            "jit function \"f\" threw an exception (oh). Correct it, or return an error.");
  EXPECT_THAT(thrown(3).message, HasSubstr("(not a std::exception)"));
}

TEST(JitLazyTest, RejectsUnknownNamesAndInvalidValues) {
  const auto kernels = jit(scale);
  EXPECT_THAT(kernels(NamedValues{{"faktor", 2}}).error().message,
              AllOf(HasSubstr("unknown name \"faktor\" (the configuration has factor, negate, comment)."),
                    HasSubstr("Did you mean 'factor'?")));
  EXPECT_THAT(kernels(NamedValues{{"factor", "2"}}).error().message, HasSubstr("int64 is wanted"));
  EXPECT_FALSE(kernels.compile(NamedValues{{"k", 1}}).ok());
  EXPECT_FALSE(kernels.program(NamedValues{{"k", 1}}).ok());
  EXPECT_FALSE(kernels.parse_cache_key(NamedValues{{"k", 1}}).ok());
}

TEST(JitLazyTest, ReturnsProgramWithoutCompiling) {
  const CompileCounter counter;
  const auto kernels = jit(scale);
  EXPECT_EQ(kernels.program({.factor = 3}).value(), scale({.factor = 3}));
  EXPECT_EQ(kernels.program(NamedValues{{"factor", 3}}).value(), scale({.factor = 3}));
  EXPECT_EQ(counter.compiles(), 0);
  const Error error = jit([](const LazyConfig&) { return Program{.name = "empty"}; }).program().error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("program \"empty\""));
}

TEST(JitLazyTest, EqualConfigurationsHaveEqualCacheKeys) {
  const auto kernels = jit(scale);
  EXPECT_EQ(kernels.parse_cache_key({.factor = 3}), R"({"comment":"none","factor":3,"negate":false})");
  EXPECT_EQ(kernels.parse_cache_key(NamedValues{{"negate", false}, {"factor", 3}}).value(),
            kernels.parse_cache_key({.factor = 3}));
  EXPECT_EQ(kernels.parse_cache_key(NamedValues{}).value(), kernels.parse_cache_key());
}

TEST(JitLazyTest, ReportsModeSignatureAndOptions) {
  const auto kernels =
      jit(scale, {}, {.mode = JitMode::kLazy, .name = "scale", .function_source = "Program scale(...)"});
  EXPECT_EQ(kernels.mode(), JitMode::kLazy);
  EXPECT_EQ(kernels.initialize_jit_mode().value(), JitMode::kLazy);
  EXPECT_EQ(to_string(kernels.signature()), R"((factor: int64 = 2, negate: bool = false, comment: string = "none"))");
  EXPECT_EQ(kernels.function()({.factor = 9}), scale({.factor = 9}));
  EXPECT_EQ(kernels.options().function_source, "Program scale(...)");
}

TEST(JitLazyTest, RejectsContradictingMode) {
  const auto kernels = jit(scale, {}, {.mode = JitMode::kEager});
  const auto contradicts = HasSubstr("mode 'eager' contradicts the function");
  EXPECT_THAT(kernels.initialize_jit_mode().error().message, contradicts);
  EXPECT_THAT(kernels().error().message, contradicts);
  EXPECT_THAT(kernels.program().error().message, contradicts);
  EXPECT_THAT(kernels.par_compile({LazyConfig{}}).error().message, contradicts);
}

/// Returns the program of `scale` without declared outputs; `extra` inputs come first.
Program bare(const LazyConfig& config) {
  Program program = scale({.factor = 2});
  program.signature.outputs.clear();
  for (std::int64_t i = 0; i < config.factor; ++i) {
    program.signature.params.insert(program.signature.params.begin(),
                                    {"extra" + std::to_string(i), ScalarParam{dtype::kInt32}});
  }
  return program;
}

TEST(JitLazyTest, AppliesOutIdxToEachProgram) {
  const auto kernels = jit(bare, {.out_idx = {-1}});
  const Tensor x = Tensor::from<float>({1}, dtype::kFloat32, std::array{4.0F}).value();
  const Tensor y = kernels({.factor = 0}).value()(x).and_then(single).value();
  EXPECT_EQ(*y.data_as<float>(), 8);
  const Tensor z = kernels({.factor = 1}).value()(7, x).and_then(single).value();  // one parameter more, still the last
  EXPECT_EQ(*z.data_as<float>(), 8);
  EXPECT_THAT(kernels.compile_options().out_idx, ElementsAre(-1));
}

TEST(JitLazyTest, PassesOptionsToCompile) {
  EXPECT_THAT(jit(scale, {.execution_backend = "nobody"})().error().message,
              HasSubstr("Invalid execution backend 'nobody'"));
  EXPECT_THAT(jit(scale, {.target = "nowhere"})().error().message, HasSubstr("nowhere"));
  EXPECT_EQ(jit(scale, {.target = "c"})().value().backend(), "cpu");
  EXPECT_THAT(jit(scale, {.target = "cpu", .compile_flags = {"-nonsense"}})().error().message, HasSubstr("-nonsense"));
  EXPECT_EQ(jit(scale, {.target = "cpu", .options = {{"tier", "full"}}})().value().tier(), "full");
}

TEST(JitLazyTest, RejectsUnknownPassConfigs) {
  const Error error = jit(scale, {.target = "cpu", .options = {{"enginge", "host"}}})().error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, AllOf(HasSubstr("option \"enginge\" is not known (given as \"host\"; backend cpu has "
                                             "check, check_seed, compile_flags, emit, engine,"),
                                   HasSubstr("Did you mean 'engine'?")));
}

TEST(JitLazyTest, UsesGivenRuntime) {
  const auto runtime = Runtime::create({}, {.search_path = {}, .use_default_path = false}).value();
  EXPECT_EQ(jit(scale, {}, {.runtime = runtime})().error().code, ErrorCode::kUnavailable);
}

TEST(JitLazyTest, WritesDebugFiles) {
  const TempFolder folder;
  const auto kernels =
      jit(scale, {.target = "cpu"}, {.debug_root_path = folder.path(), .function_source = "Program scale"});
  const Kernel kernel = kernels({.factor = 6}).value();
  EXPECT_FALSE(kernels({.factor = 13}).ok());  // but its IR is written
  ASSERT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const bool compiled = std::filesystem::exists(entry.path() / "launcher-cpu.txt");
    EXPECT_TRUE(std::filesystem::exists(entry.path() / "program/scale.kmux.json"));
    EXPECT_TRUE(std::filesystem::exists(entry.path() / "program/scale.c"));
    EXPECT_EQ(read_file(entry.path() / "function.txt").value(), "Program scale");
    EXPECT_THAT(read_file(entry.path() / "config.json").value(),
                HasSubstr(compiled ? "\"factor\":6" : "\"factor\":13"));
    if (!compiled) continue;
    EXPECT_EQ(read_file(entry.path() / "launcher-cpu.txt").value(), kernel.launcher());
  }
}

TEST(JitLazyTest, ReportsUnwritableDebugFolder) {
  const TempFolder folder;
  folder.write("file", "");
  EXPECT_EQ(jit(scale, {}, {.debug_root_path = folder.path() / "file"})().error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace kmux
