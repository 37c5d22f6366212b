#include "kmux/compile.h"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/registry.h"

#include "needs.h"

namespace kmux {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Returns b = 2 * a, in `dialects`.
Program doubling(const std::vector<std::string>& dialects = {"c"}) {
  const Expr n = Expr::symbol("n");
  Program program{.name = "doubling"};
  program.signature.params = {{"a", BufferParam{dtype::kFloat32, {n}}}, {"b", BufferParam{dtype::kFloat32, {n}}}};
  program.signature.symbols = {{"n"}};
  for (const std::string& dialect : dialects) {
    Variant variant{.dialect = dialect};
    variant.sources = {
        {"doubling." + dialect,
         "void doubling(const float* a, float* b, int n) { for (int i = 0; i < n; ++i) b[i] = 2 * a[i]; }\n"}};
    Launch launch{.kernel = "doubling", .args = {TensorArg{"a"}, TensorArg{"b"}, ExprArg{n}}};
    if (dialect != "c") launch.grid = {n};
    variant.body.steps = {std::move(launch)};
    program.variants.push_back(std::move(variant));
  }
  return program;
}

/// The null plugins of tests/fakes/table: null_a (c, priority 30), null_b (cuda, 20), null_c (both, 10).
class CompileChainTest : public testing::Test {
 protected:
  using Faults = Options;

  void start(const Environment& environment, const Faults& faults = {}) {
    runtime_ = Runtime::create(environment, {.search_path = {KMUX_TEST_PLUGIN_DIR "/table"},
                                             .use_default_path = false,
                                             .plugin_options = faults})
                   .value();
  }
  Result<Kernel> compiled(const CompileOptions& options = {}, const Program& program = doubling()) {
    return compile(*runtime_, program, options);
  }
  /// Returns the backend that the program is compiled with.
  std::string taken(const CompileOptions& options = {}, const Program& program = doubling()) {
    return compiled(options, program).value().backend();
  }
  Status launched(const Kernel& kernel) {
    const Tensor a = Tensor::zeros({4}, dtype::kFloat32, kernel.device()).value();
    const Tensor b = Tensor::zeros({4}, dtype::kFloat32, kernel.device()).value();
    return kernel.launch({a, b});
  }
  void SetUp() override { start({}); }

  Shared<Runtime> runtime_;
};

TEST_F(CompileChainTest, ChoosesHighestPriority) {
  EXPECT_EQ(taken(), "null_a");
  EXPECT_EQ(taken({}, doubling({"cuda"})), "null_b");
}

TEST_F(CompileChainTest, KernelKeepsTargetAndResolution) {
  const Kernel kernel = compiled({.target = "c"}).value();
  EXPECT_EQ(to_string(kernel.target()), "c");
  EXPECT_EQ(kernel.resolution().chosen()->backend, "null_a");
  EXPECT_EQ(kernel.resolution().requested_target, "c");
  EXPECT_EQ(kernel.name(), "doubling");
  EXPECT_TRUE(launched(kernel).ok());
}

TEST_F(CompileChainTest, ChoosesVariantWithBackend) {
  const Program both = doubling({"cuda", "c"});
  EXPECT_EQ(compiled({}, both).value().resolution().chosen()->variant, 1U);
  EXPECT_EQ(compiled({.target = "cuda"}, both).value().resolution().chosen()->variant, 0U);
}

TEST_F(CompileChainTest, PrefersArgumentsToEnvironment) {
  start({.execution_backend = "null_c"});
  EXPECT_EQ(taken(), "null_c");
  EXPECT_EQ(taken({.execution_backend = "null_a"}), "null_a");
  EXPECT_EQ(taken({.execution_backend = "auto"}), "null_a");
}

TEST_F(CompileChainTest, RunsOnNamedBackend) {
  start({}, {{"null_c.launch", "launch_failed"}});
  EXPECT_TRUE(launched(compiled().value()).ok());
  const Kernel kernel = compiled({.execution_backend = "null_c"}).value();
  EXPECT_EQ(kernel.backend(), "null_c");
  EXPECT_EQ(launched(kernel).error().code, ErrorCode::kLaunchFailed);
}

TEST_F(CompileChainTest, AcceptsBackendAliases) {
  EXPECT_EQ(taken({.execution_backend = "cython"}), "null_a");
  EXPECT_EQ(taken({.target = "cuda", .execution_backend = "cython"}, doubling({"cuda"})), "null_b");
  EXPECT_EQ(taken({.execution_backend = "tvm_ffi"}), taken());
  EXPECT_EQ(taken({.execution_backend = "dlpack"}), taken());
}

TEST_F(CompileChainTest, FallsBackWhenBuildIsUnsupported) {
  start({}, {{"null_a.build", "unsupported"}});
  const Kernel kernel = compiled().value();
  EXPECT_EQ(kernel.backend(), "null_c");
  const auto& candidates = kernel.resolution().candidates;
  const auto refused = std::ranges::find(candidates, Stage::kBuild, &Candidate::stage);
  ASSERT_NE(refused, candidates.end());
  EXPECT_EQ(refused->backend, "null_a");
  EXPECT_THAT(refused->reason, HasSubstr("build of backend null_a fails"));
}

TEST_F(CompileChainTest, NeverReplacesNamedBackend) {
  start({}, {{"null_a.build", "unsupported"}});
  const Error error = compiled({.execution_backend = "null_a"}).error();
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("build of backend null_a fails"));
  EXPECT_EQ(error.note("log"), "fault: unsupported");
}

TEST_F(CompileChainTest, DoesNotFallBackOnSourceError) {
  Program program = doubling();
  program.variants[0].sources[0].content = "void other(void) {}\n";
  const Error error = compiled({}, program).error();
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_EQ(error.note("log"), "undefined kernel: doubling");
  EXPECT_EQ(error.note("backend"), "null_a");
}

TEST_F(CompileChainTest, DoesNotFallBackOnLoadError) {
  start({}, {{"null_a.load", "unsupported"}});
  EXPECT_EQ(compiled().error().code, ErrorCode::kUnsupported);
}

TEST_F(CompileChainTest, RequiresDeviceToRunButNotToBuild) {
  start({}, {{"null_a.probe", "no_device"}});
  EXPECT_EQ(taken(), "null_c");
  EXPECT_EQ(build(*runtime_, doubling()).value().backend, "null_c") << "C2.1: what would run";
  EXPECT_EQ(build(*runtime_, doubling(), {.execution_backend = "null_a"}).value().backend, "null_a");
  start({}, {{"null_a.probe", "no_device"}, {"null_c.probe", "no_device"}});
  const BuildResult built = build(*runtime_, doubling()).value();
  EXPECT_EQ(built.backend, "null_a") << "nothing here runs it";
  EXPECT_TRUE(built.resolution.runs_nowhere());
}

TEST_F(CompileChainTest, WrapRequiresNoToolchain) {
  start({}, {{"null_a.probe", "no_toolchain"}, {"null_a.build", "internal"}});
  EXPECT_EQ(wrap(*runtime_, doubling()).value().backend, "null_c") << "C2.1: what would run";
  const WrapResult wrapped = wrap(*runtime_, doubling(), {.execution_backend = "null_a"}).value();
  EXPECT_EQ(wrapped.backend, "null_a");
  EXPECT_THAT(wrapped.launcher, HasSubstr("doubling"));
}

TEST_F(CompileChainTest, SkipsBackendThatLacksFeature) {
  start({}, {{"null_a.missing", "cluster"}});
  EXPECT_EQ(taken(), "null_c");
  EXPECT_THAT(compiled({.execution_backend = "null_a"}).error().message,
              AllOf(HasSubstr("cannot take program 'doubling'"), HasSubstr("the option missing asks for it"),
                    HasSubstr("Try one of: null_c.")));
}

TEST_F(CompileChainTest, ReportsWhyNoBackendRemains) {
  start({}, {{"null_a.probe", "no_device"}, {"null_c.probe", "no_toolchain"}});
  const Error error = compiled({.target = "cpu"}).error();
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_EQ(
      error.message,
      "No available execution backend for target 'cpu'. Allowed: null_a, null_c. null_a: cannot run here: the option "
      "probe asks for it.");
  EXPECT_EQ(error.notes.size(), 2U);
}

TEST_F(CompileChainTest, RejectsUnknownTargetsAndBackends) {
  EXPECT_EQ(compiled({.target = "vulkan"}).error().message,
            "No backend registered for target kind 'vulkan'. Available: c, cpu, cuda.");
  EXPECT_EQ(compiled({.target = "cuda", .execution_backend = "nvrtc"}).error().message,
            "Invalid execution backend 'nvrtc' for target 'cuda'. Allowed: null_b, null_c. "
            "Aliases of these: cython, dlpack, tvm_ffi. Tip: use 'auto'.");
}

TEST_F(CompileChainTest, ReportsSearchPathWithoutPlugins) {
  const auto nowhere = Runtime::create({}, {.search_path = {"/nowhere/at/all"}, .use_default_path = false}).value();
  const Error error = compile(*nowhere, doubling()).error();
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, AllOf(HasSubstr("/nowhere/at/all"), HasSubstr("KMUX_PLUGIN_PATH")));
}

TEST_F(CompileChainTest, PassesOptionsToBackend) {
  EXPECT_THAT(compiled({.options = {{"speed", "11"}}}).error().message,
              HasSubstr("option \"speed\" is not known (given as \"11\"; backend null_a has none)"));
}

TEST_F(CompileChainTest, AllocatesOutIdxOutputs) {
  const std::vector<int> out_idx = {-1};
  const CompileOptions options{.out_idx = out_idx};
  const Kernel kernel = compiled(options).value();
  EXPECT_EQ(options.out_idx, out_idx);
  const Tensor a = Tensor::zeros({4}, dtype::kFloat32, kernel.device()).value();
  const Tensor b = kernel(a).and_then(single).value();
  EXPECT_THAT(b.shape(), ElementsAre(4));
  EXPECT_EQ(compiled({.out_idx = {2}}).error().message.find("out_idx index 2 is out of range"), 0U);
}

TEST_F(CompileChainTest, RejectsArgumentTypeMismatchWithSource) {
  Program program = doubling();
  std::get<ExprArg>(std::get<Launch>(program.variants[0].body.steps[0]).args[2]).dtype = dtype::kInt64;
  start({.disable_cache = true});
  for (int i = 0; i < 2; ++i) {
    const Result<Kernel> refused = compiled({}, program);
    ASSERT_FALSE(refused.ok()) << "the null plugin compares nothing itself";
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr("with int64 n as argument 3 (its source takes int)"));
  }
}

TEST_F(CompileChainTest, ResolvesDeterministically) {
  const std::string first = resolve(*runtime_, doubling({"cuda", "c"}), {}).explain();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(resolve(*runtime_, doubling({"cuda", "c"}), {}).explain(), first);
    start({});
  }
}

/// The plugins of this build, as an application finds them.
class CompileRealTest : public testing::Test {
 protected:
  void SetUp() override {
    runtime_ = Runtime::create({}, {}).value();
    if (!runtime_->registry().plugin("cpu")) GTEST_SKIP() << needs("plugin cpu", "it is not part of this build");
  }
  Shared<Runtime> runtime_;
};

TEST_F(CompileRealTest, ComputesOnHost) {
  const Kernel kernel = compile(*runtime_, doubling(), {.target = "c", .out_idx = {1}}).value();
  EXPECT_EQ(kernel.backend(), "cpu");
  const std::vector<float> values = {1, 2, 3.5F};
  const Tensor a = Tensor::from<float>({3}, dtype::kFloat32, values).value();
  const Tensor b = kernel(a).and_then(single).value();
  EXPECT_EQ(std::vector<float>(b.data_as<float>(), b.data_as<float>() + 3), (std::vector<float>{2, 4, 7}));
}

TEST_F(CompileRealTest, RejectionDoesNotAffectLaterCompiles) {
  Program with = doubling();
  with.constants.push_back({.name = "w", .dtype = dtype::kFloat32, .shape = {}, .initialised = true});
  for (int i = 0; i < 2; ++i) {
    const auto refused = compile(*runtime_, with, {.target = "c"});
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, HasSubstr("constants in dialects cuda and hip alone"));
    EXPECT_TRUE(compile(*runtime_, doubling(), {.target = "c"}).ok()) << "the same program without constants";
  }
}

TEST_F(CompileRealTest, ReportsCompilerLog) {
  Program program = doubling();
  program.variants[0].sources[0].content = "void doubling(const float* a, float* b, int n) { b[0] = a[0] }\n";
  const Error error = compile(*runtime_, program, {.target = "c"}).error();
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(std::string(error.note("log").value_or("")), HasSubstr("expected ';'"));
}

}  // namespace
}  // namespace kmux
