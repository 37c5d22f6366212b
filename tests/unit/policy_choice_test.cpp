#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/compile.h"
#include "kmux/dispatch_json.h"
#include "kmux/log.h"

#include "cache/artifact_cache.h"
#include "file_tick.h"
#include "resolve/backend_history.h"
#include "resolve/pinning.h"
#include "resolve/ranking.h"
#include "scripted_programs.h"
#include "system/runtime_impl.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Error worker_crash() {
  return make_error(ErrorCode::kCompileFailed, "the compiler crashed.").with("worker", "crashed");
}
Error syntax_error() { return make_error(ErrorCode::kCompileFailed, "expected ';'."); }

/// Two plugins, of which 'best' has the higher priority, and a separate cache.
class PolicyChoicesTest : public testing::Test {
 protected:
  ~PolicyChoicesTest() override { set_log_sink(LogLevel::kDebug, {}); }
  void restart() {
    runtime_.reset();  // the old runtime must end first
    runtime_ = runtime_of({&next_, &best_}, folder_.path() / "cache");
  }
  void SetUp() override { restart(); }
  Resolution resolved(const CompileOptions& options, const ResolveOptions& how = {}) {
    return resolve(*runtime_, doubling(), options, how);
  }
  std::string chosen(const CompileOptions& options, Purpose purpose = Purpose::kRun) {
    return require(resolved(options, {.purpose = purpose})).value().backend;
  }
  std::string why(const CompileOptions& options) { return require(resolved(options)).value().reason; }
  void learn(PluginScript& script, double ms) {
    runtime_->impl().history()->compile_times.note(script.manifest, "", ms, true);
  }
  void fail(const std::string& backend, const Error& error) {
    runtime_->impl().history()->failures.note({digest(doubling()), 0, backend, "cpu:x86-64"}, error);
  }
  Result<Kernel> compiled(const CompileOptions& options) { return compile(*runtime_, doubling(), options); }

  TempFolder folder_;
  PluginScript best_ = launching_script("best", 9);
  PluginScript next_ = launching_script("next", 1);
  Shared<Runtime> runtime_;
};

// fast_start

TEST_F(PolicyChoicesTest, FastStartFollowsPriorityWithoutCompileTimes) {
  EXPECT_EQ(chosen({.policy = Policy::kFastStart}), "best");
  EXPECT_EQ(resolved({.policy = Policy::kFastStart}).successor, std::nullopt);
}

TEST_F(PolicyChoicesTest, FastStartChoosesQuickestWithBestAsSuccessor) {
  learn(best_, 900);
  learn(next_, 12);
  const Resolution resolution = resolved({.policy = Policy::kFastStart});
  EXPECT_EQ(resolution.chosen()->backend, "next");
  EXPECT_EQ(resolution.chosen()->reason, "quickest to compile (12 ms)");
  ASSERT_TRUE(resolution.successor.has_value());
  EXPECT_EQ(resolution.candidates[*resolution.successor].backend, "best");
  EXPECT_EQ(resolution.candidates[*resolution.successor].compile_ms, 900);
}

TEST_F(PolicyChoicesTest, FastStartFallsBackToManifestCompileTimes) {
  best_.manifest.compile_ms = 3000;
  next_.manifest.compile_ms = 300;
  EXPECT_EQ(chosen({.policy = Policy::kFastStart}), "next");
  learn(best_, 5);
  EXPECT_EQ(chosen({.policy = Policy::kFastStart}), "best");
}

TEST_F(PolicyChoicesTest, FastStartPrefersCachedArtifact) {
  learn(best_, 12);
  learn(next_, 900);
  ASSERT_TRUE(build(*runtime_, doubling(), {.execution_backend = "next"}).ok());
  runtime_->impl().cache()->flush();
  EXPECT_EQ(why({.policy = Policy::kFastStart}), "its artifact is in the cache");
  EXPECT_EQ(chosen({.policy = Policy::kFastStart}), "next");
  EXPECT_EQ(chosen({.use_cache = false, .policy = Policy::kFastStart}), "best");
}

TEST_F(PolicyChoicesTest, FastStartIgnoresArtifactWithOtherFlags) {
  learn(best_, 12);
  learn(next_, 900);
  ASSERT_TRUE(build(*runtime_, doubling(), {.execution_backend = "next"}).ok());
  runtime_->impl().cache()->flush();
  EXPECT_EQ(chosen({.compile_flags = {"-DX"}, .policy = Policy::kFastStart}), "best");
}

TEST_F(PolicyChoicesTest, FastStartKeepsDeviceTypeOfPriorityChoice) {
  learn(best_, 900);
  learn(next_, 12);
  next_.manifest.device_types = {kDLCUDA};
  EXPECT_EQ(chosen({.policy = Policy::kFastStart}), "best");
}

TEST_F(PolicyChoicesTest, FastStartFollowsPriorityForBuilds) {
  learn(best_, 900);
  learn(next_, 12);
  EXPECT_EQ(chosen({.policy = Policy::kFastStart}, Purpose::kBuild), "best");
}

TEST_F(PolicyChoicesTest, FastStartSwapsInBestBackend) {
  learn(best_, 900);
  learn(next_, 12);
  const Kernel kernel = compiled({.policy = Policy::kFastStart}).value();
  ASSERT_TRUE(kernel.await_best().ok());
  EXPECT_EQ(kernel.backend(), "best");
  EXPECT_EQ(kernel.launcher(), "best launches variant 0");
  EXPECT_TRUE(kernel.uses("next")) << "a call may still be in it";
  EXPECT_EQ(next_.built, 1);
}

TEST_F(PolicyChoicesTest, FastStartQuarantinesFailedSuccessor) {
  learn(best_, 900);
  learn(next_, 12);
  best_.builds = syntax_error();
  const Kernel kernel = compiled({.policy = Policy::kFastStart}).value();
  EXPECT_EQ(kernel.await_best().error().message, "expected ';'.");
  EXPECT_EQ(kernel.backend(), "next");
  const Resolution later = resolved({.policy = Policy::kFastStart});
  EXPECT_EQ(later.successor, std::nullopt) << "it is not compiled again and again";
  EXPECT_THAT(later.explain_fully(), HasSubstr("'best' variant 0 is in quarantine for 600 s: expected ';'."));
}

TEST_F(PolicyChoicesTest, FastStartPersistsCompileTimes) {
  ASSERT_TRUE(compiled({.policy = Policy::kFastStart}).ok());
  restart();
  EXPECT_TRUE(resolved({}, {.gathers_times = true}).chosen()->compile_ms.has_value());
}

// quarantine

TEST_F(PolicyChoicesTest, AvoidCrashedBackend) {
  std::string logged;
  set_log_sink(LogLevel::kWarning, [&](LogLevel, std::string_view text) { logged += text; });
  fail("best", worker_crash());
  const Resolution resolution = resolved({});
  EXPECT_EQ(resolution.chosen()->backend, "next");
  EXPECT_EQ(resolution.chosen()->reason, "'best' is in quarantine");
  EXPECT_EQ(resolution.candidates[1].quarantine->reason, "the compiler crashed.");
  EXPECT_THAT(logged, HasSubstr("backend 'best' is in quarantine for program 'doubling' and another one is taken"));
}

TEST_F(PolicyChoicesTest, UseCrashedBackendWithoutAlternative) {
  fail("best", worker_crash());
  fail("next", worker_crash());
  EXPECT_EQ(chosen({}), "best");
  EXPECT_EQ(chosen({.execution_backend = "next"}), "next");
}

TEST_F(PolicyChoicesTest, PreferCrashedBackendOverBuildOnlyOne) {  // C2.1
  next_.probe.can_run = {"no_device", "there is no device"};
  fail("best", worker_crash());
  EXPECT_EQ(chosen({}, Purpose::kBuild), "best");
}

TEST_F(PolicyChoicesTest, UseNamedBackendDespiteCrash) {
  fail("best", worker_crash());
  EXPECT_EQ(chosen({.execution_backend = "best"}), "best");
  EXPECT_EQ(resolved({.execution_backend = "best"}).chosen()->quarantine, std::nullopt);
  EXPECT_EQ(chosen({.execution_backend = "any"}), "next") << "an alias is not a name";
}

TEST_F(PolicyChoicesTest, IgnoreCrashOfAnotherProgram) {
  runtime_->impl().history()->failures.note({std::string(64, 'a'), 0, "best", "cpu:x86-64"}, worker_crash());
  EXPECT_EQ(chosen({}), "best");
}

TEST_F(PolicyChoicesTest, CrashOfAutomaticChoiceIsReportedOnceThenAvoided) {
  best_.builds = worker_crash();
  const Error error = compiled({}).error();
  EXPECT_EQ(error.message, "the compiler crashed.");
  EXPECT_EQ(next_.built, 0) << "nothing is tried silently";
  EXPECT_EQ(compiled({}).value().backend(), "next");
}

TEST_F(PolicyChoicesTest, LoadFailureIsReportedOnceThenAvoided) {
  best_.loads = make_error(ErrorCode::kUnavailable, "no room for the code.");
  EXPECT_EQ(compiled({}).error().message, "no room for the code.");
  EXPECT_EQ(compiled({}).value().backend(), "next");
}

TEST_F(PolicyChoicesTest, SourceErrorIsReportedEachTime) {
  best_.builds = syntax_error();
  for (const Policy policy : {Policy::kPriority, Policy::kFastStart, Policy::kMeasured}) {
    EXPECT_EQ(compiled({.policy = policy}).error().message, "expected ';'.");
    EXPECT_EQ(compiled({.policy = policy}).error().message, "expected ';'.");
  }
  EXPECT_EQ(next_.built, 0);
}

TEST_F(PolicyChoicesTest, FailureOfNamedBackendIsNotRecorded) {
  best_.builds = worker_crash();
  EXPECT_FALSE(compiled({.execution_backend = "best"}).ok());
  EXPECT_TRUE(runtime_->impl().history()->failures.empty());
}

// pinned

TEST_F(PolicyChoicesTest, PinnedFollowsLockFile) {
  const auto file = folder_.path() / "lock";
  ASSERT_TRUE(write_lock_file(file, {{digest(doubling()), "doubling", "cpu:x86-64", "next", "next-build", 0}}).ok());
  const CompileOptions request{.policy = Policy::kPinned, .lock_file = file.string()};
  EXPECT_EQ(chosen(request), "next");
  EXPECT_THAT(why(request), HasSubstr("pinned in '"));
  EXPECT_EQ(compiled({.policy = Policy::kPinned, .lock_file = file.string()}).value().backend(), "next");
  next_.manifest.build_id = "another";
  EXPECT_THAT(require(resolved(request)).error().message, HasSubstr("this one is another"));
  EXPECT_EQ(resolved(request).chosen(), nullptr);
}

TEST_F(PolicyChoicesTest, PinnedNeverFallsBack) {
  const auto file = folder_.path() / "lock";
  ASSERT_TRUE(write_lock_file(file, {{digest(doubling()), "doubling", "cpu:x86-64", "next", "next-build", 0}}).ok());
  next_.builds = make_error(ErrorCode::kUnsupported, "no such thing.");
  EXPECT_EQ(compiled({.policy = Policy::kPinned, .lock_file = file.string()}).error().message, "no such thing.");
  EXPECT_EQ(best_.built, 0);
}

TEST_F(PolicyChoicesTest, PinnedKernelsAreReusedUntilLockFileChanges) {
  const auto file = folder_.path() / "lock";
  const auto pin = [&](const std::string& backend) {
    ASSERT_TRUE(
        write_lock_file(file, {{digest(doubling()), "doubling", "cpu:x86-64", backend, backend + "-build", 0}}).ok());
    next_file_tick();  // a file changed within this tick could change again unnoticed
  };
  const CompileOptions pinned{.policy = Policy::kPinned, .lock_file = file.string()};
  pin("next");
  const Kernel first = compiled(pinned).value();
  EXPECT_EQ(first.backend(), "next");
  EXPECT_EQ(compiled(pinned).value().backend(), "next");
  EXPECT_TRUE(first.is_up_to_date());
  EXPECT_EQ(next_.built, 1);
  pin("best");
  EXPECT_FALSE(first.is_up_to_date());
  EXPECT_EQ(compiled(pinned).value().backend(), "best");
}

TEST_F(PolicyChoicesTest, RelativeLockFileUsesWorkingDirectoryOfCallOrRuntime) {
  const std::filesystem::path before = std::filesystem::current_path();
  for (const std::string name : {"next", "best"}) {
    std::filesystem::create_directory(folder_.path() / name);
    const std::vector<Pin> pins = {{digest(doubling()), "doubling", "cpu:x86-64", name, name + "-build", 0}};
    ASSERT_TRUE(write_lock_file(folder_.path() / name / "k.lock", pins).ok());
  }
  next_file_tick();
  Environment environment;
  environment.cache_dir = folder_.path() / "cache";
  environment.lock_file = "k.lock";
  std::filesystem::current_path(folder_.path() / "best");
  runtime_ = Runtime::with(environment, Shared<ScriptedRegistry>::make(std::vector<PluginScript*>{&next_, &best_}));
  for (const char* const lock_file : {"k.lock", ""}) {
    for (const char* const name : {"next", "best", "next"}) {
      std::filesystem::current_path(folder_.path() / name);
      const std::string expected = *lock_file == '\0' ? "best" : name;
      EXPECT_EQ(compiled({.policy = Policy::kPinned, .lock_file = lock_file}).value().backend(), expected);
    }
  }
  std::filesystem::current_path(before);
}

TEST_F(PolicyChoicesTest, PinnedRequiresLockFile) {
  EXPECT_THAT(require(resolved({.policy = Policy::kPinned})).error().message,
              HasSubstr("policy pinned has no lock file (neither lock_file nor KMUX_LOCK_FILE is set)"));
  const Error error = require(resolved({.policy = Policy::kPinned, .lock_file = "/none"})).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << "C3.12";
  EXPECT_EQ(compiled({.policy = Policy::kPinned}).error().code, ErrorCode::kInvalidArgument);
}

// printed text

TEST_F(PolicyChoicesTest, CompileTimesAreGatheredOnRequest) {
  learn(next_, 12.5);
  EXPECT_EQ(resolved({}).candidates[1].compile_ms, std::nullopt);
  const Resolution resolution = resolved({}, {.gathers_times = true});
  EXPECT_EQ(resolution.candidates[1].compile_ms, 12.5);
  EXPECT_THAT(resolution.explain_fully(), AllOf(HasSubstr("policy priority"), HasSubstr("12.5 ms"),
                                                HasSubstr("plugins are looked for in: /first, /second")));
  EXPECT_THAT(dump(resolution.to_json()), HasSubstr(R"("compile_ms":12.5)"));
}

TEST_F(PolicyChoicesTest, JsonContainsQuarantine) {
  fail("best", worker_crash());
  EXPECT_THAT(dump(resolved({}).to_json()),
              HasSubstr(R"("quarantine":{"reason":"the compiler crashed.","seconds_left":600})"));
}

}  // namespace
}  // namespace kmux
