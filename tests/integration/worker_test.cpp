// Isolation as an application sees it: whatever a compiler does, the application gets an error and survives.
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/compile.h"
#include "kmux/log.h"
#include "kmux/plugin/process.h"
#include "kmux/program.h"
#include "kmux/registry.h"

#include "integration/worker_processes.h"
#include "needs.h"

namespace kmux {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Program doubling(const std::string& name = "doubling") {
  const Expr n = Expr::symbol("n");
  Program program{.name = name};
  program.signature.params = {{"a", BufferParam{dtype::kFloat32, {n}}}, {"b", BufferParam{dtype::kFloat32, {n}}}};
  program.signature.symbols = {{"n"}};
  Variant variant{.dialect = "c"};
  variant.sources = {{"doubling.c",
                      "void doubling(const float* a, float* b, int n) { for (int i = 0; i < n; ++i) b[i] = 2 * a[i]; "
                      "}\n"}};
  variant.body.steps = {Launch{.kernel = "doubling", .args = {TensorArg{"a"}, TensorArg{"b"}, ExprArg{n}}}};
  program.variants = {std::move(variant)};
  return program;
}

/// The null plugins of tests/fakes/table, for dialect c: null_a (priority 30), null_c (10).
class WorkerTest : public testing::Test {
 protected:
  using Faults = Options;

  WorkerTest() { start({}); }
  void start(const Faults& faults) {
    runtime_ =
        Runtime::create(
            {}, {.search_path = {KMUX_TEST_PLUGIN_DIR "/table"}, .use_default_path = false, .plugin_options = faults})
            .value();
  }
  Result<BuildResult> built(std::optional<double> limit_s = {}, const std::string& backend = "null_a",
                            const Program& program = doubling()) {
    return build(*runtime_, program,
                 {.execution_backend = backend, .isolation = Isolation::kProcess, .compile_timeout_s = limit_s});
  }
  static Candidate candidate(const Resolution& resolution, const std::string& backend) {
    for (const Candidate& one : resolution.candidates)
      if (one.backend == backend) return one;
    return {};
  }
  static std::vector<pid_t> workers() { return test::children_of(getpid()); }

  Shared<Runtime> runtime_;
};

TEST_F(WorkerTest, BuildsSameResultAsApplication) {
  const BuildResult inside = build(*runtime_, doubling(), {}).value();
  const BuildResult outside = built({}, "auto").value();
  EXPECT_EQ(outside.backend, "null_a");
  EXPECT_EQ(outside.launcher, inside.launcher);
  EXPECT_EQ(outside.artifact, inside.artifact);
  EXPECT_EQ(outside.resolution.candidates, inside.resolution.candidates);
}

TEST_F(WorkerTest, CompilesKernelsThatRunInApplication) {
  const Kernel kernel = compile(*runtime_, doubling(), {.isolation = Isolation::kProcess}).value();
  const Tensor a = Tensor::zeros({4}, dtype::kFloat32, kernel.device()).value();
  EXPECT_TRUE(kernel.launch({a, a}).ok());
}

TEST_F(WorkerTest, ReturnsBackendErrorsUnchanged) {
  for (const char* step : {"wrap", "build"}) {
    start({{std::string("null_a.") + step, "compile_failed"}});
    const Error inside = build(*runtime_, doubling(), {.execution_backend = "null_a"}).error();
    const Error outside = built().error();
    EXPECT_EQ(outside.code, inside.code);
    EXPECT_EQ(outside.message, inside.message);
    EXPECT_EQ(outside.notes, inside.notes);
  }
}

TEST_F(WorkerTest, AutoSkipsUnsupportedBackend) {
  start({{"null_a.build", "unsupported"}});
  EXPECT_EQ(built({}, "auto").value().backend, "null_c");
}

TEST_F(WorkerTest, ReportsCompilerCrashAsError) {
  for (const char* step : {"wrap", "build"}) {
    for (const auto& [fault, how] : {std::pair("segv", "signal 11, SIGSEGV"), std::pair("abort", "signal 6, SIGABRT"),
                                     std::pair("exit", "it ended with code 0")}) {
      start({{std::string("null_a.") + step, fault}});
      const auto failed = built({}, "auto");
      ASSERT_FALSE(failed.ok());
      EXPECT_EQ(failed.error().code, ErrorCode::kCompileFailed);
      EXPECT_THAT(failed.error().message,
                  AllOf(HasSubstr("\"null_a\" crashed in " + std::string(step)), HasSubstr(how)));
      EXPECT_EQ(failed.error().note("backend"), "null_a");
      if (fault != std::string("exit")) {
        EXPECT_EQ(failed.error().note("log"), "the compiler is about to crash\n");
      }
    }
  }
}

TEST_F(WorkerTest, StopsHangingCompiler) {
  for (const char* step : {"wrap", "build"}) {
    start({{std::string("null_a.") + step, "hang"}});
    const auto failed = built(0.6);
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().code, ErrorCode::kTimedOut);
    EXPECT_THAT(failed.error().message,
                AllOf(HasSubstr("\"null_a\" did not end " + std::string(step) + " within 600 ms")));
    EXPECT_THAT(workers(), IsEmpty());
  }
}

TEST_F(WorkerTest, RejectsBackendThatCrashesBeforeBuild) {
  for (const char* step : {"create", "probe", "supports"}) {
    for (const char* fault : {"segv", "exit"}) {
      start({{std::string("null_a.") + step, fault}});
      const BuildResult other = built({}, "auto").value();
      EXPECT_EQ(other.backend, "null_c");
      const Candidate refused = candidate(other.resolution, "null_a");
      EXPECT_EQ(refused.code, ErrorCode::kUnavailable);
      EXPECT_THAT(refused.reason, HasSubstr("crashed in")) << step;
      EXPECT_EQ(built().error().code, ErrorCode::kUnavailable);
    }
  }
}

TEST_F(WorkerTest, RejectsBackendThatHangsInProbe) {
  start({{"null_a.probe", "hang"}});
  const BuildResult other = built(2.0, "auto").value();  // null_c must do the work
  EXPECT_EQ(other.backend, "null_c");
  const Candidate refused = candidate(other.resolution, "null_a");
  EXPECT_EQ(refused.code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.reason, HasSubstr("did not end probe within 2000 ms"));
}

TEST_F(WorkerTest, ReportsForeignDataOnSocket) {
  start({{"null_a.build", "babble"}});
  const auto failed = built();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::kInternal);
  EXPECT_THAT(failed.error().message, AllOf(HasSubstr("gave no answer in build"), HasSubstr("does not begin as one")));
}

TEST_F(WorkerTest, RemembersFailures) {
  start({{"null_a.build", "segv"}});
  const Error first = built().error();
  EXPECT_FALSE(first.note("remembered"));
  const Error again = built().error();
  EXPECT_EQ(again.message, first.message);
  EXPECT_TRUE(again.note("remembered"));
  const Error other = built({}, "null_a", doubling("another")).error();
  EXPECT_FALSE(other.note("remembered"));
  start({{"null_a.build", "segv"}});
  EXPECT_FALSE(built().error().note("remembered"));
}

TEST_F(WorkerTest, DoesNotRememberKilledBuilds) {
  for (const char* step : {"wrap", "build"}) {
    start({{std::string("null_a.") + step, "kill"}});
    for (int call = 0; call < 2; ++call) {
      const Error killed = built().error();
      EXPECT_THAT(killed.message, AllOf(HasSubstr("\"null_a\" was killed in "), HasSubstr("signal 9, SIGKILL")));
      EXPECT_EQ(killed.note("worker"), "killed");
      EXPECT_FALSE(killed.note("remembered")) << step;
    }
    EXPECT_THAT(built({}, "auto").error().message, HasSubstr("\"null_a\" was killed in ")) << "auto does not avoid it";
  }
}

TEST_F(WorkerTest, RetriesHangingCompilerWithLongerTimeout) {
  start({{"null_a.build", "hang"}});
  EXPECT_FALSE(built(0.5).error().note("remembered"));
  EXPECT_TRUE(built(0.5).error().note("remembered"));
  const Error longer = built(0.7).error();
  EXPECT_FALSE(longer.note("remembered"));
  EXPECT_THAT(longer.message, HasSubstr("within 700 ms"));
}

TEST_F(WorkerTest, ReusesOneProcess) {
  built().value();
  const std::vector<pid_t> first = workers();
  ASSERT_THAT(first, SizeIs(1));
  built({}, "null_a", doubling("another")).value();
  EXPECT_EQ(workers(), first);
  runtime_.reset();
  EXPECT_THAT(workers(), IsEmpty());
}

TEST_F(WorkerTest, IsReplacedWhenKilledBetweenCalls) {
  built().value();
  const std::vector<pid_t> first = workers();
  ASSERT_THAT(first, SizeIs(1));
  kill(first[0], SIGKILL);
  EXPECT_TRUE(built({}, "null_a", doubling("another")).ok());
  EXPECT_THAT(workers(), AllOf(SizeIs(1), testing::Not(Contains(first[0]))));
}

TEST_F(WorkerTest, ReportsErrorWhenKilledDuringCall) {
  start({{"null_a.build", "hang"}});
  std::atomic<bool> done = false;
  std::thread killer([&] {  // repeatedly: the first worker may not have reached the build yet
    while (!done) {
      for (const pid_t worker : workers()) kill(worker, SIGTERM);
      std::this_thread::sleep_for(20ms);
    }
  });
  const auto failed = built();
  done = true;
  killer.join();
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().explain(), HasSubstr("signal 15, SIGTERM"));
}

TEST_F(WorkerTest, ServesConcurrentThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> succeeded = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round)
        if (built({}, "null_a", doubling("p" + std::to_string(i * 10 + round))).ok()) ++succeeded;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(succeeded, 40);
  EXPECT_LE(workers().size(), 4U);
}

TEST_F(WorkerTest, LeaksNoDescriptorsOrProcesses) {
  built().value();
  runtime_.reset();
  const std::size_t before = test::open_descriptors();
  start({{"null_a.build", "exit"}});
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(built({}, "null_a", doubling("p" + std::to_string(i))).ok());
  runtime_.reset();
  EXPECT_EQ(test::open_descriptors(), before);
  EXPECT_THAT(workers(), IsEmpty());
}

TEST_F(WorkerTest, ForwardsPluginLogs) {
  std::mutex mutex;
  std::vector<std::string> lines;
  set_log_sink(LogLevel::kDebug, [&](LogLevel level, std::string_view text) {
    const std::lock_guard lock(mutex);
    lines.push_back(std::to_string(static_cast<int>(level)) + " " + std::string(text));
  });
  const auto null =
      Runtime::create({}, {.search_path = {KMUX_TEST_PLUGIN_DIR "/null"}, .use_default_path = false}).value();
  const auto made = build(*null, doubling(), {.isolation = Isolation::kProcess});
  set_log_sink(LogLevel::kError, {});
  EXPECT_TRUE(made.ok());
  EXPECT_THAT(lines, Contains("0 null: created"));
}

TEST_F(WorkerTest, ReportsPluginThatFailsToOpen) {
  for (const char* name : {"no_table", "refuses_to_start", "undefined_symbol"}) {
    const RegistryOptions options{.search_path = {std::string(KMUX_TEST_PLUGIN_DIR "/broken/") + name},
                                  .use_default_path = false};
    const auto inside = Runtime::create({}, options).value();
    const auto outside = Runtime::create({}, options).value();
    const Error expected = build(*inside, doubling(), {.target = "null", .execution_backend = name}).error();
    const Error given =
        build(*outside, doubling(), {.target = "null", .execution_backend = name, .isolation = Isolation::kProcess})
            .error();
    EXPECT_EQ(given.code, expected.code);
    EXPECT_EQ(given.message, expected.message);
  }
}

TEST_F(WorkerTest, RejectsTimeoutWithoutProcessIsolation) {
  const auto failed = build(*runtime_, doubling(), {.compile_timeout_s = 0.005});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(failed.error().message, HasSubstr("compile_timeout"));
}

TEST_F(WorkerTest, UsesWorkingDirectoryOfCaller) {
  const auto before = std::filesystem::current_path();
  built().value();  // the worker was started in it
  std::filesystem::current_path("/");
  const pid_t worker = workers().at(0);
  built({}, "null_a", doubling("another")).value();
  EXPECT_EQ(std::filesystem::read_symlink("/proc/" + std::to_string(worker) + "/cwd"), "/");
  std::filesystem::current_path(before);
}

/// Returns the living workers of a plugin that this process did not start.
std::vector<pid_t> workers_of(const std::string& manifest) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");  // empty for a zombie
    std::string program, argument;
    if (!std::getline(file, program, '\0') || !std::getline(file, argument, '\0')) continue;
    if (program.ends_with("/kmux-worker") && argument.ends_with(manifest))
      found.push_back(static_cast<pid_t>(std::stol(entry.path().filename())));
  }
  return found;
}

TEST_F(WorkerTest, ExitsWhenApplicationIsKilled) {
  const std::string manifest = KMUX_TEST_PLUGIN_DIR "/table/kmux_null_a.plugin.json";
  Command application{.argv = {KMUX_TEST_BUILD_DIR "/bin/kmux", "compile", "--backend=null_a", "--no-cache",
                               "--isolation=process", KMUX_TEST_SOURCE_DIR "/examples/programs/scale/scale.kmux.json"}};
  application.environment = {{"KMUX_PLUGIN_PATH", KMUX_TEST_PLUGIN_DIR "/table"},
                             {"KMUX_OPTION_NULL_A__BUILD", "hang"}};
  application.timeout = 3s;
  std::size_t most = 0;
  std::thread runner([&] { EXPECT_FALSE(run(application).ok()); });  // kills the application, but not its worker
  for (int i = 0; i < 200 && most == 0; ++i, std::this_thread::sleep_for(25ms)) most = workers_of(manifest).size();
  runner.join();
  EXPECT_EQ(most, 1U);
  for (int i = 0; i < 1000 && !workers_of(manifest).empty(); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_THAT(workers_of(manifest), IsEmpty());
}

TEST_F(WorkerTest, BuildsIdenticalCpuArtifacts) {
  const auto cpu = Runtime::create({}, {}).value();
  if (!cpu->registry().plugin("cpu")) GTEST_SKIP() << needs("plugin cpu", "it is not part of this build");
  const CompileOptions here{.execution_backend = "cpu"};
  const CompileOptions apart{.execution_backend = "cpu", .isolation = Isolation::kProcess};
  const BuildResult inside = build(*cpu, doubling(), here).value();
  const BuildResult outside = build(*cpu, doubling(), apart).value();
  EXPECT_EQ(serialize(outside.artifact), serialize(inside.artifact));
  const Kernel kernel = compile(*cpu, doubling(), apart).value();
  const Tensor a = Tensor::from<float>({3}, dtype::kFloat32, std::vector<float>{1, 2, 3}).value();
  const Tensor b = Tensor::zeros({3}, dtype::kFloat32).value();
  ASSERT_TRUE(kernel.launch({a, b}).ok());
  EXPECT_THAT(std::vector<float>(b.data_as<float>(), b.data_as<float>() + 3), ElementsAre(2, 4, 6));
}

}  // namespace
}  // namespace kmux
