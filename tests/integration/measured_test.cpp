// Policies over the plugins of this build: the cpu backend with variants of very different speed, and null plugins
// whose compilers crash.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/tune.h"

#include "shared_cache.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using testing::HasSubstr;

/// Returns y[i] = x[i] + 1: variant 0 computes it a hundred times, variant 1 once.
Program adding() {
  ProgramBuilder builder("adding");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n}).output("y", dtype::kFloat32, {n});
  builder.variant("c").source("slow.c",
                              "void slow(const float* x, volatile float* y, long long n) {\n"
                              "  for (int turn = 0; turn < 100; ++turn)\n"
                              "    for (long long i = 0; i < n; ++i) y[i] = x[i] + 1;\n"
                              "}\n");
  builder.launch("slow").args({"x", "y"}).arg(n, dtype::kInt64);
  builder.variant("c").source("fast.c",
                              "void fast(const float* x, float* y, long long n) {\n"
                              "  for (long long i = 0; i < n; ++i) y[i] = x[i] + 1;\n"
                              "}\n");
  builder.launch("fast").args({"x", "y"}).arg(n, dtype::kInt64);
  Metadata metadata;
  metadata.symbols = {{"n", 100'000}};
  builder.metadata(std::move(metadata));
  return builder.build().value();
}

class MeasuredTest : public testing::Test {
 protected:
  Shared<Runtime> runtime() const { return runtime_with_cache(folder_.path() / "cache"); }
  static Tensor vector() { return Tensor::zeros({100'000}, dtype::kFloat32).value(); }
  /// Tunes until the fast variant wins: on a busy machine, a measurement may show no variant to be faster.
  static Tuning tuned(const Kernel& kernel) {
    Tuning tuning = kernel.tune({vector(), vector()}).value();
    for (int tries = 1; tuning.best().variant != 1 && tries < 10; ++tries)
      tuning = kernel.tune({vector(), vector()}, {.again = true}).value();
    EXPECT_EQ(tuning.best().variant, 1U) << tuning.explain();
    return tuning;
  }

  TempFolder folder_;
  CompileOptions options_{.target = "c", .policy = Policy::kMeasured};
};

TEST_F(MeasuredTest, MuchFasterVariantWins) {
  const auto shared = runtime();
  const Kernel kernel = compile(*shared, adding(), options_).value();
  EXPECT_THAT(kernel.source(), HasSubstr("slow")) << "priority takes the earliest variant";
  const Tensor x = vector();
  const Tensor y = vector();
  EXPECT_TRUE(kernel.tune({x, y}).value().is_cold);
  EXPECT_EQ(y.data_as<float>()[0], 0) << "not the caller's memory";
  tuned(kernel);
  EXPECT_THAT(kernel.source(), HasSubstr("fast"));
  EXPECT_EQ(kernel.tier(), "full");
  ASSERT_TRUE(kernel.launch({x, y}).ok());
  EXPECT_EQ(y.data_as<float>()[99'999], 1);
}

TEST_F(MeasuredTest, NextRuntimeUsesWinnerImmediately) {
  {
    const auto shared = runtime();
    const Kernel kernel = compile(*shared, adding(), options_).value();
    tuned(kernel);
  }
  const auto later = runtime();
  EXPECT_THAT(compile(*later, adding(), options_).value().source(), HasSubstr("fast"));
  const Resolution resolution = resolve(*later, adding(), {.target = "c"}, {.gathers_times = true});
  EXPECT_EQ(resolution.chosen()->variant, 0U) << "priority is priority";
  EXPECT_TRUE(resolution.candidates[0].run_us.has_value());
  EXPECT_TRUE(resolution.candidates[1].run_us.has_value());
}

TEST_F(MeasuredTest, CallsContinueDuringSwitchToWinner) {
  const auto shared = runtime();
  const Kernel kernel = compile(*shared, adding(), options_).value();
  const Tensor x = vector();
  ASSERT_TRUE(kernel(x).ok());
  for (int call = 0; call < 20; ++call) {
    const Tensor y = kernel(x).and_then(single).value();
    ASSERT_EQ(y.data_as<float>()[call], 1);
  }
  ASSERT_TRUE(kernel.await_best().ok());
  EXPECT_THAT(kernel.source(), HasSubstr("fast"));
  EXPECT_EQ(kernel(x).and_then(single).value().data_as<float>()[7], 1);
}

TEST_F(MeasuredTest, PinnedPolicyRunsWinnerWithoutMeasuring) {
  const auto file = folder_.path() / "lock";
  {
    const auto shared = runtime();
    const Kernel kernel = compile(*shared, adding(), options_).value();
    ASSERT_TRUE(pin(file, adding(), tuned(kernel)).ok());
  }
  const auto production = runtime();
  const CompileOptions pinned{.target = "c", .policy = Policy::kPinned, .lock_file = file.string()};
  const Kernel kernel = compile(*production, adding(), pinned).value();
  EXPECT_THAT(kernel.source(), HasSubstr("fast"));
  EXPECT_EQ(kernel.tune({vector(), vector()}).error().code, ErrorCode::kInvalidArgument);
  Program other = adding();
  other.variants[0].sources[0].content += "\n";
  EXPECT_THAT(compile(*production, other, pinned).error().message, HasSubstr("is not in lock file"));
}

TEST_F(MeasuredTest, KernelCanBeTunedAfterRuntimeIsReleased) {
  std::optional<Kernel> kernel;
  {
    const auto shared = runtime();
    kernel = compile(*shared, adding(), options_).value();
  }
  EXPECT_TRUE(kernel->launch({vector(), vector()}).ok());
  tuned(*kernel);
}

/// The null plugins of tests/fakes/table, whose compilers run in separate processes.
class CrashingCompilersTest : public testing::Test {
 protected:
  void start(const Options& faults) {
    runtime_ =
        Runtime::create(
            {}, {.search_path = {KMUX_TEST_PLUGIN_DIR "/table"}, .use_default_path = false, .plugin_options = faults})
            .value();
  }
  Result<Kernel> compiled(Policy policy) {
    return compile(*runtime_, adding(), {.use_cache = false, .isolation = Isolation::kProcess, .policy = policy});
  }
  Shared<Runtime> runtime_;
};

TEST_F(CrashingCompilersTest, AreReportedThenQuarantined) {
  start({{"null_a.build", "segv"}});
  for (int variant = 0; variant < 2; ++variant) {
    const Error error = compiled(Policy::kPriority).error();
    EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
    EXPECT_EQ(error.note("worker"), "crashed");
    EXPECT_EQ(error.note("backend"), "null_a");
  }
  const Kernel kernel = compiled(Policy::kPriority).value();
  EXPECT_EQ(kernel.backend(), "null_c");
  EXPECT_THAT(kernel.resolution().explain_fully(), HasSubstr("'null_a' variant 0 is in quarantine for"));
  EXPECT_EQ(compile(*runtime_, adding(), {.execution_backend = "null_a", .isolation = Isolation::kProcess})
                .error()
                .note("worker"),
            "crashed")
      << "a name is exact";
}

TEST_F(CrashingCompilersTest, AreReportedByTuning) {
  start({{"null_c.build", "segv"}});
  const Kernel kernel = compiled(Policy::kMeasured).value();
  const Tensor x = Tensor::zeros({8}, dtype::kFloat32, kernel.device()).value();
  const Tensor y = Tensor::zeros({8}, dtype::kFloat32, kernel.device()).value();
  const Tuning tuning = kernel.tune({x, y}).value();
  EXPECT_THAT(tuning.explain(), HasSubstr("crashed in build"));
  EXPECT_EQ(tuning.best().backend, "null_a");
}

}  // namespace
}  // namespace kmux
