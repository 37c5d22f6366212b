// Many programs at once over real plugins: in separate processes, with limits, and from one cache.
#include "kmux/par_compile.h"

#include <algorithm>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/environment.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "integration/worker_processes.h"

namespace kmux {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Program numbered(int number) {
  ProgramBuilder builder("p" + std::to_string(number));
  const Expr n = builder.symbol("n");
  builder.input("A", dtype::kFloat32, {n}).output("B", dtype::kFloat32, {n});
  builder.variant("c").source("copy.c",
                              "void copy(const float* a, float* b, int n) { for (int i = 0; i < n; ++i) b[i] = "
                              "a[i] + " +
                                  std::to_string(number) + "; }\n");
  builder.launch("copy").args({"A", "B"}).arg(n);
  return builder.build().value();
}

std::vector<CompileJob> jobs(int count, const CompileOptions& options) {
  std::vector<CompileJob> jobs;
  for (int i = 0; i < count; ++i) jobs.push_back({numbered(i), options});
  return jobs;
}

/// The null plugins of tests/fakes/table. null_b's manifest declares that a process compiles only one program at a
/// time.
class ParCompileWorkersTest : public testing::Test {
 protected:
  explicit ParCompileWorkersTest() { start({}); }
  void start(const Options& faults, Environment environment = {}) {
    environment.plugin_trial = "0";  // so that only compiling workers are counted
    runtime_ = Runtime::create(std::move(environment), {.search_path = {KMUX_TEST_PLUGIN_DIR "/table"},
                                                        .use_default_path = false,
                                                        .plugin_options = faults})
                   .value();
  }
  static std::vector<pid_t> workers() { return test::children_of(getpid()); }
  /// Returns the largest number of workers while `jobs` were compiled.
  std::size_t most_workers(const std::vector<CompileJob>& jobs, ParCompileOptions how) {
    std::size_t most = 0;
    how.progress = [&](const CompileProgress&) { most = std::max(most, workers().size()); };
    EXPECT_TRUE(par_build(*runtime_, jobs, how).ok());
    return most;
  }
  Shared<Runtime> runtime_;
};

const CompileOptions kApart{.execution_backend = "null_a", .isolation = Isolation::kProcess};

TEST_F(ParCompileWorkersTest, UsesManyProcessesAndKeepsAtMostFour) {
  EXPECT_GT(most_workers(jobs(200, kApart), {.num_workers = 8, .memory_budget = 1ULL << 40}), 4U);
  EXPECT_LE(workers().size(), 4U);
}

TEST_F(ParCompileWorkersTest, UsesProcessesWhenManifestPrefersThem) {
  const CompileOptions free{.target = "cuda", .execution_backend = "null_b"};
  std::vector<CompileJob> all;
  for (int i = 0; i < 20; ++i) {
    Program program = numbered(i);
    program.variants[0].dialect = "cuda";
    std::get<Launch>(program.variants[0].body.steps[0]).grid = {Expr(1)};
    all.push_back({std::move(program), free});
  }
  EXPECT_EQ(most_workers({all.begin(), all.begin() + 1}, {.num_workers = 2}), 0U);  // there is no other job to wait for
  std::vector<CompileJob> inside = all;
  for (CompileJob& job : inside) job.options.isolation = Isolation::kNone;
  EXPECT_EQ(most_workers(inside, {.num_workers = 2}), 0U);  // the caller's option decides
  EXPECT_EQ(most_workers(all, {.num_workers = 1}), 1U);  // so that an endless compile can be stopped
  EXPECT_GE(most_workers(all, {.num_workers = 2}), 1U);
  start({}, Environment::from({{"KMUX_ISOLATION", "none"}}));
  EXPECT_EQ(most_workers(all, {.num_workers = 2}), 0U);
}

TEST_F(ParCompileWorkersTest, StaysInProcessByDefault) {
  EXPECT_EQ(most_workers(jobs(20, {.execution_backend = "null_a"}), {.num_workers = 2}), 0U);
}

TEST_F(ParCompileWorkersTest, KillsCompilerOnTimeout) {
  start({{"null_a.build", "hang"}});
  const Error error = par_build(*runtime_, jobs(1, kApart), {.timeout = 500ms}).error();
  EXPECT_EQ(error.code, ErrorCode::kTimedOut);
  EXPECT_THAT(error.message,
              AllOf(HasSubstr("program \"p0\" was not compiled within 500 ms"), HasSubstr("its compiler was stopped")));
  EXPECT_THAT(workers(), IsEmpty());
}

TEST_F(ParCompileWorkersTest, KillsCompilersOnCancellation) {
  start({{"null_a.build", "hang"}});
  std::stop_source stop;
  const auto stop_at_first = [&](const CompileProgress& event) {
    if (event.step == JobStep::kCompiling) stop.request_stop();
  };
  std::vector<CompileJob> all = jobs(3, kApart);
  const auto result =
      par_build(*runtime_, all, {.num_workers = 1, .cancel = stop.get_token(), .progress = stop_at_first});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("compiling was cancelled (0 of 3 programs were done)"));
  EXPECT_THAT(workers(), IsEmpty());
  const Error again = par_build(*runtime_, {all.data(), 1}, {.timeout = 300ms}).error();
  EXPECT_FALSE(again.note("remembered").has_value());  // cancellation is not a property of the program
}

TEST_F(ParCompileWorkersTest, ReportsCrashAsCompileFailure) {
  start({{"null_a.build", "segv"}});
  const Error error = par_build(*runtime_, jobs(1, kApart)).error();
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("SIGSEGV"));
}

}  // namespace
}  // namespace kmux
