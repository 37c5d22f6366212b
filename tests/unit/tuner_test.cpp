#include "tune/tuner.h"

#include <filesystem>
#include <fstream>
#include <malloc.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/compile.h"
#include "kmux/log.h"

#include "cache/artifact_cache.h"
#include "scripted_programs.h"
#include "system/runtime_impl.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Two plugins: 'best' has the higher priority and 'next' is faster. Their events return the durations.
class TunersTest : public testing::Test {
 protected:
  ~TunersTest() override { set_log_sink(LogLevel::kDebug, {}); }
  void restart() {
    runtime_.reset();  // the old runtime must end first
    runtime_ = runtime_of({&next_, &best_}, folder_.path() / "cache");
  }
  void SetUp() override {
    best_.run_ms = {2, 2};
    next_.run_ms = {1, 2};
    restart();
  }
  Kernel compiled(const Program& program = doubling(), Policy policy = Policy::kMeasured) {
    return compile(*runtime_, program, {.policy = policy}).value();
  }
  static Tensor vector(std::int64_t extent = 4) { return Tensor::zeros({extent}, dtype::kFloat32).value(); }
  static Tuning tuned(const Kernel& kernel, const TuneOptions& options = {}, std::int64_t extent = 4) {
    return kernel.tune({vector(extent)}, options).value();
  }
  Resolution resolved(const Program& program = doubling()) {
    return resolve(*runtime_, program, {.policy = Policy::kMeasured});
  }

  TempFolder folder_;
  PluginScript best_ = launching_script("best", 9);
  PluginScript next_ = launching_script("next", 1);
  Shared<Runtime> runtime_;
};

TEST_F(TunersTest, LaunchWinnerAfterTuning) {
  const Kernel kernel = compiled();
  EXPECT_EQ(kernel.backend(), "best");
  const Tuning tuning = tuned(kernel);
  EXPECT_EQ(tuning.best().backend, "next");
  EXPECT_EQ(tuning.candidates[0].run_us, (Interval{2000, 2000, 2000}));
  EXPECT_EQ(tuning.candidates[1].run_us, (Interval{1000, 1000, 1000}));
  EXPECT_EQ(kernel.backend(), "next");
  const int before = next_.launched;
  ASSERT_TRUE(kernel.launch({vector()}).ok());
  EXPECT_EQ(next_.launched, before + 1);
}

TEST_F(TunersTest, KeepPriorityChoiceForInsignificantGain) {
  next_.run_ms = {1.99};
  const Kernel kernel = compiled();
  EXPECT_EQ(tuned(kernel).best().backend, "best");
  EXPECT_EQ(kernel.backend(), "best");
}

/// No round agrees with the previous one.
class NoisyTunersTest : public TunersTest {
 protected:
  void SetUp() override {
    TunersTest::SetUp();
    best_.run_ms = {36};
    next_.run_ms = {18};
    next_.odd_run_ms = 400;
  }
};

TEST_F(NoisyTunersTest, ReportUndecidedResult) {
  const Tuning tuning = tuned(compiled(), {.time_s = 0.01});
  EXPECT_EQ(tuning.best().backend, "best");
  EXPECT_FALSE(tuning.is_sure);
  EXPECT_THAT(tuning.explain(),
              AllOf(HasSubstr("undecided after 0.01 s: next variant 0 (0.5 to 11 times its time) may be "
                              "faster. Measure longer"),
                    HasSubstr("* ")));
  const Json json = tuning.to_json();
  EXPECT_FALSE(*json.find("sure")->as_bool());
  EXPECT_EQ(*json.find("time_s")->as_number(), 0.01);
}

TEST_F(NoisyTunersTest, RejectPinOfUndecidedResult) {
  const auto lock = folder_.path() / "lock";
  const auto pinned = pin(lock.string(), doubling(), tuned(compiled(), {.time_s = 0.01}));
  ASSERT_FALSE(pinned.ok());
  EXPECT_EQ(pinned.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(pinned.error().message,
              HasSubstr("is not pinned in '" + lock.string() + "' (its measurement is undecided"));
  EXPECT_FALSE(std::filesystem::exists(lock));
}

TEST_F(NoisyTunersTest, MeasureAgainOnlyWithMoreTime) {
  tuned(compiled(), {.time_s = 0.01});
  EXPECT_TRUE(tuned(compiled(), {.time_s = 0.01}).from_cache);
  EXPECT_EQ(resolved().chosen()->reason, "measured; undecided");
  next_.odd_run_ms.reset();
  const Tuning longer = tuned(compiled(), {.time_s = 0.02});
  EXPECT_FALSE(longer.from_cache);
  EXPECT_TRUE(longer.is_sure);
  EXPECT_EQ(longer.best().backend, "next");
  EXPECT_TRUE(tuned(compiled(), {.time_s = 100}).from_cache);
}

TEST_F(TunersTest, PinReturnsReplacedEntry) {
  const std::string lock = (folder_.path() / "lock").string();
  const Tuning first = tuned(compiled());
  EXPECT_EQ(pin(lock, doubling(), first).value(), std::nullopt);
  EXPECT_EQ(pin(lock, doubling(), first).value(), std::nullopt) << "the same";
  next_.run_ms = {5};
  const auto replaced = pin(lock, doubling(), tuned(compiled(), {.again = true})).value();
  ASSERT_TRUE(replaced.has_value());
  EXPECT_EQ(replaced->backend, "next");
}

TEST_F(TunersTest, CompareVariantsOfOnePlugin) {
  best_.run_ms = {3, 1};
  next_.run_ms = {3, 3};
  const Kernel kernel = compiled(doubling(2));
  EXPECT_EQ(tuned(kernel).best().variant, 1U);
  EXPECT_EQ(kernel.backend(), "best");
  EXPECT_THAT(kernel.source(), HasSubstr("// 1"));
}

TEST_F(TunersTest, DoNotAccessCallerMemory) {
  const Kernel kernel = compiled();
  Tensor poisoned = Tensor::borrow(reinterpret_cast<void*>(64), {4}, dtype::kFloat32);  // an invalid address
  EXPECT_TRUE(kernel.tune({poisoned}).ok());
}

TEST_F(TunersTest, MeasurementIsCachedAndReused) {
  EXPECT_FALSE(tuned(compiled()).from_cache);
  EXPECT_TRUE(tuned(compiled()).from_cache);
  restart();
  const Resolution resolution = resolved();
  EXPECT_EQ(resolution.chosen()->backend, "next");
  EXPECT_EQ(resolution.chosen()->reason, "measured; surely faster");
  EXPECT_EQ(resolution.candidates[1].run_us->median, 2000);
  best_.built = 0;
  EXPECT_EQ(compiled().backend(), "next");
  EXPECT_EQ(best_.built, 0);
  EXPECT_THAT(resolution.explain_fully(), HasSubstr("1.00 ms (1.00 ms to 1.00 ms)"));
  EXPECT_THAT(dump(resolution.to_json()), HasSubstr(R"("run_us":{"high":1000.0,"low":1000.0,"median":1000.0})"));
}

TEST_F(TunersTest, BuildUsesMeasuredWinner) {  // C2.1
  tuned(compiled());
  for (const Policy policy : {Policy::kMeasured, Policy::kFastStart})
    EXPECT_EQ(build(*runtime_, doubling(), {.policy = policy}).value().backend, "next") << to_string(policy);
  EXPECT_EQ(wrap(*runtime_, doubling(), {.policy = Policy::kMeasured}).value().backend, "next");
  EXPECT_EQ(build(*runtime_, doubling(), {}).value().backend, "best");
}

TEST_F(TunersTest, MeasureAgainOnRequest) {
  const Kernel kernel = compiled();
  tuned(kernel);
  next_.run_ms = {5};
  EXPECT_EQ(tuned(kernel).best().backend, "next");
  EXPECT_EQ(tuned(kernel, {.again = true}).best().backend, "best");
  EXPECT_EQ(kernel.backend(), "best");
  restart();
  EXPECT_EQ(resolved().chosen()->reason, "measured; nothing is surely faster");
}

TEST_F(TunersTest, MeasurementKeyCoversPluginProgramOptionsAndShape) {
  const Program program = doubling(1, Expr::symbol("n"));
  Program known = program;
  known.metadata.symbols = {{"n", 4}};
  tuned(compiled(program));
  EXPECT_EQ(resolved(known).chosen()->backend, "next");
  known.metadata.symbols = {{"n", 8}};
  EXPECT_EQ(resolved(known).chosen()->backend, "best") << "another bucket";
  known.metadata.symbols = {{"n", 7}};
  EXPECT_EQ(resolved(known).chosen()->backend, "next") << "the same bucket";
  EXPECT_EQ(resolve(*runtime_, known, {.compile_flags = {"-DX"}, .policy = Policy::kMeasured}).chosen()->backend,
            "best");
  Program other = known;
  other.variants[0].sources[0].content += " ";
  EXPECT_EQ(resolved(other).chosen()->backend, "best");
  best_.manifest.build_id = "rebuilt";
  restart();
  EXPECT_EQ(resolved(known).chosen()->reason, "highest priority of those that can; not measured yet");
}

TEST_F(TunersTest, DamagedMeasurementIsIgnored) {
  tuned(compiled());
  restart();
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder_.path() / "cache" / "v1")) {
    if (file.path().filename() == "artifact") std::ofstream(file.path(), std::ios::app) << "x";
  }
  EXPECT_EQ(resolved().chosen()->backend, "best");
}

TEST_F(TunersTest, FailedCandidateIsReportedAndOthersAreMeasured) {
  next_.builds = make_error(ErrorCode::kCompileFailed, "expected ';'.");
  const Kernel kernel = compiled();
  const Tuning tuning = tuned(kernel);
  EXPECT_EQ(tuning.best().backend, "best");
  EXPECT_EQ(tuning.candidates[1].problem, "expected ';'.");
  EXPECT_EQ(tuning.candidates[1].run_us, std::nullopt);
  EXPECT_THAT(tuning.explain(), HasSubstr("expected ';'."));
  EXPECT_EQ(resolved().candidates[1].quarantine->reason, "expected ';'.");
  tuned(kernel, {.again = true});
  EXPECT_EQ(next_.built, 1) << "it is in quarantine";
}

TEST_F(TunersTest, MeasurementWithCrashedCandidateIsNotCached) {
  next_.builds = make_error(ErrorCode::kCompileFailed, "crashed.").with("worker", "crashed");
  tuned(compiled());
  restart();
  next_.builds = Ok{};
  EXPECT_FALSE(tuned(compiled()).from_cache);
}

TEST_F(TunersTest, TuneRequiresPolicyMeasured) {
  for (const Policy policy : {Policy::kPriority, Policy::kFastStart}) {
    const Error error = compiled(doubling(), policy).tune({vector()}).error();
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.message,
                AllOf(HasSubstr(std::string(to_string(policy))), HasSubstr("Compile it with policy measured")));
  }
}

TEST_F(TunersTest, InvalidArgumentsAreRejected) {
  const Kernel kernel = compiled();
  EXPECT_THAT(kernel.tune({}).error().message, HasSubstr("takes all 1 parameters"));
  EXPECT_EQ(kernel.tune({vector(5)}).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(TunersTest, FirstLaunchMeasuresInBackground) {
  const Kernel kernel = compiled();
  ASSERT_TRUE(kernel.launch({vector()}).ok());
  EXPECT_GE(best_.launched, 1);
  ASSERT_TRUE(kernel.await_best().ok());
  EXPECT_EQ(kernel.backend(), "next");
}

TEST_F(TunersTest, KnownMeasurementSkipsBackgroundMeasuring) {
  tuned(compiled());
  restart();
  const Kernel kernel = compiled();
  const int before = best_.launched;
  ASSERT_TRUE(kernel.launch({vector()}).ok());
  ASSERT_TRUE(kernel.await_best().ok());
  EXPECT_EQ(best_.launched, before);
}

TEST_F(TunersTest, BackgroundLoadFailureKeepsKernel) {
  const Kernel kernel = compiled(doubling(1, Expr::symbol("n")));
  best_.loads = next_.loads = make_error(ErrorCode::kUnavailable, "no room.");
  runtime_->impl().cache()->flush();
  ASSERT_TRUE(kernel.launch({vector()}).ok());
  EXPECT_TRUE(kernel.await_best().ok()) << "what is loaded already is measured alone";
  EXPECT_EQ(kernel.backend(), "best");
}

// Regression: with 4 MB of embedded headers, 640 kernels took gigabytes.
TEST_F(TunersTest, ProgramIsHeldInMemoryOnce) {
  constexpr std::size_t kText = std::size_t{8} << 20;
  Program program = doubling(2);
  for (Variant& variant : program.variants) variant.headers = {{"large.h", std::string(kText / 2, ' ')}};
  const auto in_use = [this] {
    runtime_->impl().cache()->flush();
    const struct mallinfo2 facts = ::mallinfo2();
    return facts.uordblks + facts.hblkhd;
  };
  const std::size_t before = in_use();
  const Kernel kernel = compiled(program);
  EXPECT_LT(in_use() - before, 2 * kText);
}

TEST_F(TunersTest, KernelReportsUsedPlugins) {
  const Kernel kernel = compiled();
  EXPECT_TRUE(kernel.uses("next")) << "it would be measured";
  EXPECT_FALSE(kernel.uses("other"));
}

TEST_F(TunersTest, NamedBackendIsOnlyCandidate) {
  const Kernel kernel =
      compile(*runtime_, doubling(), {.execution_backend = "best", .policy = Policy::kMeasured}).value();
  EXPECT_EQ(tuned(kernel).candidates.size(), 1U);
  EXPECT_EQ(kernel.backend(), "best");
}

}  // namespace
}  // namespace kmux
