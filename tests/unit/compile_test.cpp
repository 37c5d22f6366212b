#include "kmux/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/log.h"
#include "kmux/validate.h"

#include "scripted_programs.h"

namespace kmux {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

PluginScript script(const std::string& name, int priority) {
  PluginScript script;
  script.manifest.name = name;
  script.manifest.priority = priority;
  script.manifest.targets = {"cpu"};
  script.manifest.dialects = {"c"};
  script.manifest.aliases = {"any"};
  return script;
}

Error unsupported() { return make_error(ErrorCode::kUnsupported, "no inline assembly").with("log", "line 1"); }

/// Two scripted plugins; 'best' has the higher priority.
class CompileTest : public testing::Test {
 protected:
  ~CompileTest() override { set_log_sink(LogLevel::kDebug, {}); }
  Result<BuildResult> made(const CompileOptions& options = {}) { return build(*runtime_, doubling(), options); }

  PluginScript best_ = script("best", 9);
  PluginScript next_ = script("next", 1);
  Shared<Runtime> runtime_ =
      Runtime::with({}, Shared<ScriptedRegistry>::make(std::vector<PluginScript*>{&next_, &best_}));
};

TEST_F(CompileTest, WrapsAndBuildsWithBestBackend) {
  const BuildResult built = made().value();
  EXPECT_EQ(built.backend, "best");
  EXPECT_EQ(built.launcher, "best launches variant 0");
  EXPECT_EQ(*built.artifact.find("code"), built.launcher);
  EXPECT_EQ(to_string(built.target), "cpu:x86-64");
  EXPECT_EQ(built.resolution.chosen()->backend, "best");
  EXPECT_EQ(next_.built, 0);
}

TEST_F(CompileTest, WrapsWithoutToolchainOrDevice) {
  best_.probe = {{"no_toolchain", "no compiler"}, {"no_device", "no device"}};
  EXPECT_EQ(wrap(*runtime_, doubling()).value().launcher, "next launches variant 0") << "C2.1: what would run";
  EXPECT_EQ(wrap(*runtime_, doubling(), {.execution_backend = "best"}).value().launcher, "best launches variant 0");
  EXPECT_EQ(best_.built, 0);
}

TEST_F(CompileTest, BuildsWithoutDevice) {
  best_.probe.can_run = {"no_device", "no device"};
  EXPECT_EQ(made().value().backend, "next") << "C2.1: what would run";
  EXPECT_EQ(made({.execution_backend = "best"}).value().backend, "best");
  EXPECT_EQ(best_.device_asked, std::nullopt);
}

TEST_F(CompileTest, LoadsOnlyBackendWithDevice) {
  best_.probe.can_run = {"no_device", "no device"};
  const Error error = compile(*runtime_, doubling()).error();  // the fake loads nothing
  EXPECT_EQ(error.message, "a fake loads nothing");
  EXPECT_EQ(best_.built, 0);
  EXPECT_EQ(next_.device_asked, 0);
}

TEST_F(CompileTest, FallsBackWhenCompilerReportsUnsupported) {
  best_.builds = unsupported();
  const BuildResult built = made().value();
  EXPECT_EQ(built.backend, "next");
  ASSERT_EQ(built.resolution.candidates.size(), 2U);
  EXPECT_EQ(built.resolution.candidates[1].stage, Stage::kBuild);
  EXPECT_EQ(built.resolution.candidates[1].reason, "no inline assembly");
}

TEST_F(CompileTest, FallsBackWhenWrapperReportsUnsupported) {
  best_.wraps = unsupported();
  EXPECT_EQ(made().value().backend, "next");
}

TEST_F(CompileTest, FallsBackWithinAlias) {
  best_.builds = unsupported();
  EXPECT_EQ(made({.execution_backend = "any"}).value().backend, "next");
}

TEST_F(CompileTest, NeverReplacesNamedBackend) {
  best_.builds = unsupported();
  const Error error = made({.execution_backend = "best"}).error();
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_EQ(error.message, "no inline assembly");
  EXPECT_EQ(error.note("backend"), "best");
  EXPECT_EQ(next_.built, 0);
}

TEST_F(CompileTest, DoesNotFallBackOnSourceError) {
  best_.builds = make_error(ErrorCode::kCompileFailed, "expected ';'").with("log", "twice.c:1:1");
  const Error error = made().error();
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_EQ(error.note("log"), "twice.c:1:1");
  EXPECT_EQ(error.note("backend"), "best");
  EXPECT_EQ(next_.built, 0);
}

TEST_F(CompileTest, ReportsAllReasonsWhenAllBackendsFail) {
  best_.builds = unsupported();
  next_.builds = unsupported();
  const Error error = made().error();
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("No available execution backend for target 'auto'. Allowed: best, next."));
  EXPECT_EQ(error.notes.size(), 2U);  // two logs; the one reason of both backends is in the message
  EXPECT_THAT(error.explain(), AllOf(HasSubstr("no inline assembly"), HasSubstr("line 1")));
}

TEST_F(CompileTest, ValidatesProgramFirst) {
  Program program = doubling();
  program.signature.params.clear();
  const Error error = build(*runtime_, program).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(best_.opened, 0);
}

TEST_F(CompileTest, ChecksOutIdxBeforeBuilding) {
  EXPECT_THAT(compile(*runtime_, doubling(), {.out_idx = {1}}).error().message,
              HasSubstr("out_idx index 1 is out of range for a function with 1 parameters"));
  EXPECT_EQ(best_.opened, 0);
}

TEST_F(CompileTest, PassesOptionsToBackend) {
  ASSERT_TRUE(
      made({.options = {{"engine", "host"}}, .compile_flags = {"-O2", "-DX=a b"}, .include_dirs = {"/i"}}).ok());
  EXPECT_THAT(best_.options_seen,
              ElementsAre(Pair("compile_flags", "-O2\n-DX=a b"), Pair("engine", "host"), Pair("include_dirs", "/i")));
}

TEST_F(CompileTest, PassesTargetHostToSupportingBackends) {  // C1.1
  next_.manifest.target_hosts = {"llvm"};
  ASSERT_TRUE(made({.execution_backend = "best", .target_host = "llvm"}).ok());
  EXPECT_THAT(best_.options_seen, IsEmpty()) << "it says no more than that the launcher is for a host";
  ASSERT_TRUE(made({.execution_backend = "next", .target_host = "llvm -mcpu=znver4"}).ok());
  EXPECT_THAT(next_.options_seen, ElementsAre(Pair("target_host", "llvm -mcpu=znver4")));
}

TEST_F(CompileTest, RejectsMalformedAndDuplicateOptions) {
  EXPECT_THAT(made({.compile_flags = {"a\nb"}}).error().message, HasSubstr("has an element with a line break"));
  EXPECT_THAT(made({.compile_flags = {"-DA=\xff"}}).error().message, HasSubstr(R"(the flag "-DA=\xff" is not UTF-8)"));
  EXPECT_THAT(made({.include_dirs = {"inc\xff"}}).error().message,
              HasSubstr(R"(the include folder "inc\xff" is not UTF-8)"));
  EXPECT_THAT(made({.options = {{"o", "\xff"}}}).error().message,
              HasSubstr(R"(the value of option 'o', "\xff" is not UTF-8)"));
  EXPECT_THAT(made({.options = {{"include_dirs", "/a"}}, .include_dirs = {"/b"}}).error().message,
              HasSubstr("option 'include_dirs' is given twice"));
}

TEST_F(CompileTest, LogsAutoResolution) {
  std::vector<std::string> lines;
  set_log_sink(LogLevel::kInfo, [&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  ASSERT_TRUE(made().ok());
  ASSERT_TRUE(made({.execution_backend = "next"}).ok());
  EXPECT_THAT(lines, ElementsAre("Execution backend resolved -> 'best' (requested='auto', target='cpu:x86-64', "
                                 "allowed: best, next)"));
}

TEST_F(CompileTest, WritesToStderrWhenVerbose) {
  testing::internal::CaptureStderr();
  ASSERT_TRUE(made({.verbose = true}).ok());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("kmux: info: Execution backend resolved -> 'best'"));
}

TEST_F(CompileTest, IsSilentByDefault) {
  testing::internal::CaptureStderr();
  ASSERT_TRUE(made().ok());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace kmux
