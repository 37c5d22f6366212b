// Plugins that fail without returning an error, and the result for the application: docs/security.md has the promises.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/compile.h"
#include "kmux/kernel.h"
#include "kmux/program.h"
#include "kmux/registry.h"
#include "kmux/tensor.h"

#include "integration/worker_processes.h"
#include "needs.h"
#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

const fs::path kBadFolder = fs::path(KMUX_TEST_PLUGIN_DIR) / "broken/bad";
const std::string kBadLibrary = (fs::canonical(kBadFolder) / "kmux_bad.so").string();
constexpr const char* kFault = "KMUX_TEST_BAD_PLUGIN";
constexpr const char* kReport = " Report it to the plugin's author; this process goes on without it.";

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // on an invalid read, the process ends with the sanitizer's exit code
#else
constexpr bool kSanitized = false;
#endif

/// Returns a program that needs no symbol.
Program copying() {
  Program program{.name = "copying"};
  program.signature.params = {{"a", BufferParam{dtype::kFloat32, {Expr(4)}}},
                              {"b", BufferParam{dtype::kFloat32, {Expr(4)}}}};
  Variant variant{.dialect = "c"};
  variant.sources = {
      {"copying.c", "void copying(const float* a, float* b) { for (int i = 0; i < 4; ++i) b[i] = a[i]; }\n"}};
  variant.body.steps = {Launch{.kernel = "copying", .args = {TensorArg{"a"}, TensorArg{"b"}}}};
  program.variants = {std::move(variant)};
  return program;
}

/// The faulty behaviour of a step, and the error's description of it (empty: the step continues).
struct Fault {
  std::string step;
  std::string fault;
  std::string told;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.step << ':' << fault.fault; }

std::string name_of(const testing::TestParamInfo<Fault>& info) { return info.param.step + "_" + info.param.fault; }

/// A process with the plugin "bad" and working plugins beside it.
class BadPluginProcessTest : public testing::TestWithParam<Fault> {
 protected:
  ~BadPluginProcessTest() override { unsetenv(kFault); }

  /// Sets `fault` in the process from now on. The plugin options contain its name, because answers are remembered by
  /// them.
  void start(const std::string& fault, const std::string& trial_s = "") {
    setenv(kFault, fault.c_str(), /*overwrite=*/1);
    Environment environment;
    environment.plugin_trial = trial_s;
    environment.cache_dir = cache_dir_;
    runtime_ = Runtime::create(environment, {.search_path = {kBadFolder, fs::path(KMUX_TEST_PLUGIN_DIR) / "table"},
                                             .use_default_path = false,
                                             .plugin_options = {{"bad.case", fault}}})
                   .value();
  }
  Result<BuildResult> built(const std::string& backend, std::optional<Isolation> isolation = {},
                            std::optional<double> limit_s = {}) {
    return build(*runtime_, copying(),
                 {.target = backend == "bad" ? "null" : "auto",
                  .execution_backend = backend,
                  .isolation = isolation,
                  .compile_timeout_s = limit_s});
  }
  /// Checks that the process still works, and that no child process is left after the runtime is destroyed.
  void expect_others_work(const std::string& asked = "null_a") {
    EXPECT_EQ(built(asked).value().backend, "null_a");
    runtime_.reset();
    EXPECT_THAT(test::children_of(getpid()), IsEmpty());
  }

  fs::path cache_dir_;  // empty: no cache
  Shared<Runtime> runtime_;
};

// The way from `compile` to the compiler is short enough to be read in a debugger.
TEST_F(BadPluginProcessTest, BuildsWithinEightFrames) {
#ifndef NDEBUG
  GTEST_SKIP() << needs("a release build", "without inlining, each wrapper is a frame");
#endif
  if (kSanitized) GTEST_SKIP() << needs("a build without sanitizers", "they keep wrappers from being inlined");
  const TempFolder folder;
  cache_dir_ = folder.path() / "cache";
  start("build:tells_frames");
  const CompileOptions options{.target = "null", .execution_backend = "bad"};
  const int frames = std::stoi(compile(*runtime_, copying(), options).error().message);
  RecordProperty("compile_frames", frames - 1);  // without `compile` itself
  EXPECT_LE(frames - 1, 8);
}

// Before its first answer, a plugin is loaded only in a separate process.
using BadPluginFirstTest = BadPluginProcessTest;

TEST_P(BadPluginFirstTest, IsUnavailableWithReason) {
  const auto& [step, fault, told] = GetParam();
  start(step + ":" + fault, fault == "hangs" ? "0.5" : "");
  EXPECT_EQ(built("bad").error().code, ErrorCode::kUnavailable);
  const auto failed = runtime_->registry().plugin("bad");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::kUnavailable);
  const std::string advice = fault == "hangs"
                                 ? " Allow more seconds by KMUX_PLUGIN_TRIAL, or report it to the plugin's author."
                             : fault == "killed" ? " Check whether memory is short and try again."
                                                 : kReport;
  EXPECT_EQ(failed.error().message,
            "plugin \"" + kBadLibrary + "\" is not opened (tried in a process of its own, " + told + ")." + advice);
  expect_others_work("auto");
}

std::vector<Fault> first_faults() {
  std::vector<Fault> faults;
  for (const auto& [step, in] :
       {std::pair("load", "open"), {"query", "open"}, {"create", "open"}, {"probe", "probe"}}) {
    const std::string crashed = std::string("it crashed in ") + in + ": ";
    faults.push_back({step, "crash", crashed + "signal 11, SIGSEGV"});
    faults.push_back({step, "sigill", crashed + "signal 4, SIGILL"});
    faults.push_back({step, "abort", crashed + "signal 6, SIGABRT"});
    faults.push_back({step, "exits", crashed + "it ended with code 3 in the middle of the call"});
    if (in == std::string("probe") || step == std::string("query"))
      faults.push_back({step, "throws", crashed + "signal 6, SIGABRT"});
    faults.push_back({step, "hangs", std::string("it did not end ") + in + " within 500 ms"});
    faults.push_back({step, "killed", std::string("it was killed in ") + in + ": signal 9, SIGKILL"});
  }
  if (!kSanitized) faults.push_back({"probe", "lies_beyond", "it crashed in probe: signal 11, SIGSEGV"});
  return faults;
}
INSTANTIATE_TEST_SUITE_P(BadPlugin, BadPluginFirstTest, testing::ValuesIn(first_faults()), name_of);

// A compiler that must run in a separate process.
using BadPluginCompilerTest = BadPluginProcessTest;

TEST_P(BadPluginCompilerTest, FailureIsIsolated) {
  const auto& [step, fault, told] = GetParam();
  start(step + ":" + fault);
  const auto failed = built("bad", Isolation::kProcess, fault == "hangs" ? std::optional(0.5) : std::nullopt);
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr("backend \"bad\" " + told));
  expect_others_work();
}

std::vector<Fault> compiler_faults() {
  std::vector<Fault> faults;
  for (const std::string step : {"supports", "wrap", "build"}) {
    const std::string crashed = "crashed in " + step + " (";
    faults.push_back({step, "crash", crashed + "signal 11, SIGSEGV). "});
    faults.push_back({step, "sigill", crashed + "signal 4, SIGILL). "});
    faults.push_back({step, "exits", crashed + "it ended with code 3 in the middle of the call). "});
    faults.push_back({step, "throws", crashed + "signal 6, SIGABRT). "});
    faults.push_back({step, "hangs", "did not end " + step + " within 500 ms and was stopped"});
    if (!kSanitized) faults.push_back({step, "lies_beyond", crashed + "signal 11, SIGSEGV). "});
    faults.push_back({step, "writes_to_socket", "gave no answer in " + step + " ("});
  }
  return faults;
}
INSTANTIATE_TEST_SUITE_P(BadPlugin, BadPluginCompilerTest, testing::ValuesIn(compiler_faults()), name_of);

// Code of a plugin that must be tried in a separate process: loading it, and its first launch.
class BadPluginCodeTest : public BadPluginProcessTest {
 protected:
  Result<Kernel> compiled(std::optional<double> limit_s = {}) {
    return compile(
        *runtime_, copying(),
        {.target = "null", .execution_backend = "bad", .isolation = Isolation::kProcess, .compile_timeout_s = limit_s});
  }
  /// Calls the kernel with `first` as the first number of its input.
  static Status called(const Kernel& kernel, float first) {
    const std::array<float, 4> numbers = {first};
    const Tensor a = Tensor::zeros({4}, dtype::kFloat32, kernel.device()).value();
    const Tensor b = Tensor::zeros({4}, dtype::kFloat32, kernel.device()).value();
    KMUX_TRY(kernel.device().plugin()->backend().devices().copy(0, nullptr, a.data(), numbers.data(), sizeof numbers,
                                                                KMUX_COPY_HOST_TO_DEVICE));
    return kernel.launch({a, b});
  }
};

TEST_P(BadPluginCodeTest, FailureIsIsolated) {
  const auto& [step, fault, told] = GetParam();
  start(step + ":" + fault);
  const auto kernel = compiled(fault == "hangs" ? std::optional(0.5) : std::nullopt);
  const Status failed = kernel ? called(*kernel, 1) : Status(kernel.error());
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(failed.error().message, HasSubstr("backend \"bad\" " + told));
  EXPECT_EQ(kernel.ok(), step == "launch");
  expect_others_work();
}

std::vector<Fault> code_faults() {
  std::vector<Fault> faults;
  for (const auto& [step, in] :
       {std::pair("adapt", "load"), {"prepare", "load"}, {"unload", "load"}, {"launch", "launch"}}) {
    const std::string crashed = std::string("crashed in ") + in + " (";
    faults.push_back({step, "crash", crashed + "signal 11, SIGSEGV). "});
    faults.push_back({step, "sigill", crashed + "signal 4, SIGILL). "});
    faults.push_back({step, "exits", crashed + "it ended with code 3 in the middle of the call). "});
    faults.push_back({step, "hangs", std::string("did not end ") + in + " within 500 ms and was stopped"});
  }
  faults.push_back({"launch", "throws", "crashed in launch (signal 6, SIGABRT). "});
  return faults;
}
INSTANTIATE_TEST_SUITE_P(BadPlugin, BadPluginCodeTest, testing::ValuesIn(code_faults()), name_of);

TEST_F(BadPluginCodeTest, IsTriedWithArgumentsOfFirstCall) {
  start("launch:crashes_on_seven");
  const Kernel kernel = compiled().value();
  const Status failed = called(kernel, 7);
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message,
              HasSubstr("kernel \"copying\": backend \"bad\" crashed in launch (signal 11, SIGSEGV)"));
  EXPECT_TRUE(called(kernel, 1).ok());
}

TEST_F(BadPluginCodeTest, IsNotTriedWhenTrialsAreDisabled) {
  start("launch:crash_in_worker");
  EXPECT_FALSE(called(compiled().value(), 1).ok());
  start("launch:crash_in_worker", "0");
  EXPECT_TRUE(called(compiled().value(), 1).ok());
}

// The errors that an application gets from a plugin that is loaded in it.
using BadPluginHereTest = BadPluginProcessTest;

TEST_P(BadPluginHereTest, FaultIsReturnedAsError) {
  const auto& [step, fault, told] = GetParam();
  start(step + ":" + fault);
  const auto failed = compile(*runtime_, copying(), {.target = "null", .execution_backend = "bad"});
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr(told));
  expect_others_work();
}

std::vector<Fault> errors_here() {
  const std::string bug = "This is a bug of the plugin; report it to its author";
  std::vector<Fault> faults = {
#if !defined(__SANITIZE_ADDRESS__)  // no exception passes the sanitizer's dlopen
      {"load", "throws", "cannot be used (thrown through C)"},
#endif
      {"create", "throws", "plugin \"bad\" gave an exception (thrown through C). " + bug},
      {"probe", "lies_null", "plugin \"bad\" gave "},
      {"build", "lies_null", "plugin \"bad\" gave "},
      {"table", "lies_small", "its table is too small: 8 bytes"},
      {"adapt", "throws", "plugin \"bad\" gave an exception (thrown through C). " + bug},
      {"build", "answers_nonsense", "plugin \"bad\" gave "},
      {"probe", "answers_nonsense", "plugin \"bad\" gave "},
  };
  for (const std::string step : {"supports", "wrap", "build"}) {
    faults.push_back({step, "throws", "plugin \"bad\" gave an exception (thrown through C). " + bug});
    faults.push_back({step, "lies_huge", "out of memory"});
    faults.push_back({step, "has_no_memory", "out of memory"});
  }
  return faults;
}
INSTANTIATE_TEST_SUITE_P(BadPlugin, BadPluginHereTest, testing::ValuesIn(errors_here()), name_of);

// Plugin behaviour that harms no caller: the kernel is valid, and the process ends with nothing left behind.
using BadPluginHarmlessTest = BadPluginProcessTest;

TEST_P(BadPluginHarmlessTest, BuildsAndLeavesNoProcessBehind) {
  start(GetParam().step + ":" + GetParam().fault);
  const auto isolation = GetParam().told == "process" ? Isolation::kProcess : Isolation::kNone;
  const auto kernel =
      compile(*runtime_, copying(), {.target = "null", .execution_backend = "bad", .isolation = isolation});
  ASSERT_TRUE(kernel.ok()) << kernel.error().explain();
  expect_others_work();
}

std::vector<Fault> harmless_faults() {
  std::vector<Fault> faults = {{"table", "lies_huge", "none"}};
  for (const char* where : {"none", "process"}) {
    faults.push_back({"create", "forgets_thread", where});
    faults.push_back({"probe", "writes_noise", where});
  }
  faults.push_back({"build", "forgets_process", "process"});
  return faults;
}
INSTANTIATE_TEST_SUITE_P(BadPlugin, BadPluginHarmlessTest, testing::ValuesIn(harmless_faults()),
                         [](const auto& one) { return name_of(one) + "_" + one.param.told; });

// Writes to a sink after the call has returned must reach only the worker's memory.
TEST_F(BadPluginProcessTest, LateWriteReachesOnlyWorker) {
  start("build:writes_late");
  EXPECT_TRUE(built("bad", Isolation::kProcess).ok());
  usleep(400'000);
  const auto again = built("bad", Isolation::kProcess, 10.0);  // by the same worker or another one
  EXPECT_TRUE(again.ok() || again.error().note("worker")) << again.error().explain();
  expect_others_work();
}

}  // namespace
}  // namespace kmux
