#include "kmux/par_compile.h"

#include <map>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "par_compile_fixture.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using namespace std::chrono_literals;
using ParCompileTest = ParCompileTest;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

TEST_F(ParCompileTest, ReturnsKernelsInInputOrder) {
  Door door;
  Runtime& runtime = runtime_of([&](const Program& program) -> Result<Artifact> {
    program.name == "p0" ? door.pass() : program.name == "p2" ? door.open() : void();
    return artifact();
  });
  const auto kernels = par_compile(runtime, numbered(3), {}, {.num_workers = 2}).value();
  EXPECT_THAT(names_of(kernels), ElementsAre("p0", "p1", "p2"));
}

TEST_F(ParCompileTest, UsesAllWorkersConcurrently) {
  Door door;
  Runtime& runtime = runtime_of([&](const Program&) -> Result<Artifact> {
    door.pass();
    return artifact();
  });
  std::thread opener([&] {
    door.await_waiting(5);  // more cores than most test machines have: the caller's option decides
    door.open();
  });
  EXPECT_TRUE(par_compile(runtime, numbered(5), {}, {.num_workers = 5, .memory_budget = 1ULL << 40}).ok());
  opener.join();
}

TEST_F(ParCompileTest, AcceptsEmptyJobList) {
  EXPECT_THAT(par_compile(failing({}), std::span<const CompileJob>()).value(), IsEmpty());
}

TEST_F(ParCompileTest, BuildsWithoutLoading) {
  const auto built = par_build(failing({}), jobs_of(numbered(3))).value();
  ASSERT_THAT(built, SizeIs(3));
  EXPECT_EQ(built[2].backend, "compiling");
  EXPECT_EQ(built[2].artifact, artifact());
}

TEST_F(ParCompileTest, TryCompileReturnsResultPerJob) {
  const std::vector<Program> programs = {named("p1"), named("p0"), named("p3"), named("p1")};
  const auto kernels = try_par_compile(failing({"p1", "p3"}), programs, {}, {.num_workers = 2}).value();
  std::vector<std::string> told;
  for (const Result<Kernel>& kernel : kernels) told.push_back(kernel ? kernel->name() : kernel.error().message);
  EXPECT_THAT(told, ElementsAre("p1 is broken", "p0", "p3 is broken", "p1 is broken"));
}

TEST_F(ParCompileTest, TryBuildReturnsResultPerJob) {
  const auto built = try_par_build(failing({"p1"}), jobs_of(numbered(3)), {.num_workers = 2}).value();
  ASSERT_THAT(built, SizeIs(3));
  EXPECT_TRUE(built[0] && built[2]);
  EXPECT_EQ(built[1].error().message, "p1 is broken");
}

TEST_F(ParCompileTest, ReturnsFirstFailureByInputOrder) {
  Door door;
  Runtime& runtime = runtime_of([&](const Program& program) -> Result<Artifact> {
    if (program.name == "p3") door.pass();  // of the first two by priority, the last to end
    if (program.name == "p5") {
      door.await_waiting(1);
      door.open();
    }
    return broken(program);
  });
  std::vector<CompileJob> jobs = jobs_of(numbered(6));
  jobs[3].priority = jobs[5].priority = 1;
  const Error error = par_compile(runtime, jobs, {.num_workers = 2}).error();
  EXPECT_EQ(error.message, "p0 is broken");  // it precedes them, so it was compiled despite their failures
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_EQ(error.note("program"), "0 \"p0\"");
  EXPECT_EQ(error.notes.back(), (Note{"failure", "program 5 \"p5\": p5 is broken"}));
  EXPECT_THAT(error.explain(), HasSubstr("program 3 \"p3\": p3 is broken"));
}

TEST_F(ParCompileTest, CancelsJobsAfterFailure) {
  std::vector<std::size_t> cancelled;
  const auto note = [&](const CompileProgress& event) {
    if (event.step == JobStep::kCancelled) cancelled.push_back(event.index);
  };
  EXPECT_FALSE(par_compile(failing({"p1"}), numbered(5), {}, {.num_workers = 1, .progress = note}).ok());
  EXPECT_THAT(cancelled, ElementsAre(2, 3, 4));
  EXPECT_EQ(compiled_, 2);
}

TEST_F(ParCompileTest, CompilesIdenticalProgramsOnce) {
  std::vector<CompileJob> jobs;
  for (int i = 0; i < 64; ++i) jobs.push_back({named("p" + std::to_string(i % 8))});
  std::map<std::size_t, std::size_t> same_as;
  const auto note = [&](const CompileProgress& event) {
    if (event.step == JobStep::kDone && event.same_as) same_as[event.index] = *event.same_as;
  };
  const auto kernels = par_compile(failing({}), jobs, {.num_workers = 4, .progress = note}).value();
  EXPECT_EQ(compiled_, 8);
  EXPECT_THAT(same_as, SizeIs(56));
  EXPECT_EQ(same_as[63], 7U);
  EXPECT_EQ(kernels[63].name(), "p7");
}

TEST_F(ParCompileTest, TreatsOtherOptionsAsSeparateJob) {
  const std::vector<CompileJob> jobs = {{named("p")}, {named("p"), {.options = {{"level", "3"}}}}};
  ASSERT_TRUE(par_build(failing({}), jobs).ok());
  EXPECT_EQ(compiled_, 2);
}

TEST_F(ParCompileTest, CompilesHighestPriorityFirst) {
  std::vector<std::string> order;
  Runtime& runtime = runtime_of([&](const Program& program) -> Result<Artifact> {
    order.push_back(program.name);
    return artifact();
  });
  std::vector<CompileJob> jobs = jobs_of(numbered(4));
  jobs[2].priority = 5;
  jobs[3].priority = 5;
  jobs[0].priority = -1;
  ASSERT_TRUE(par_build(runtime, jobs, {.num_workers = 1}).ok());
  EXPECT_THAT(order, ElementsAre("p2", "p3", "p1", "p0"));
}

TEST_F(ParCompileTest, ReportsStepsInOrderOnCallerThread) {
  std::vector<std::string> steps;
  std::vector<CompileCounts> counts;
  const auto caller = std::this_thread::get_id();
  const auto note = [&](const CompileProgress& event) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(event.program, "p" + std::to_string(event.index));
    steps.push_back(std::to_string(event.index) + " " + std::string(to_string(event.step)) + " " +
                    std::string(event.backend));
    counts.push_back(event.counts);
    const std::string message = event.error == nullptr ? "" : event.error->message;
    EXPECT_EQ(message, event.step == JobStep::kFailed ? "p1 is broken" : "");
  };
  ASSERT_TRUE(try_par_compile(failing({"p1"}), numbered(2), {}, {.num_workers = 1, .progress = note}).ok());
  EXPECT_THAT(steps, ElementsAre("0 queued ", "1 queued ", "0 started ", "0 compiling compiling", "0 done compiling",
                                 "1 started ", "1 compiling compiling", "1 failed "));
  EXPECT_EQ(counts.front(), (CompileCounts{.total = 2}));
  EXPECT_EQ(counts[3], (CompileCounts{.total = 2, .running = 1}));
  EXPECT_EQ(counts.back(), (CompileCounts{.total = 2, .done = 1, .failed = 1}));
}

TEST_F(ParCompileTest, ReportsCacheHits) {
  const TempFolder folder;
  Environment environment;
  environment.cache_dir = folder.path() / "cache";
  const std::vector<CompileJob> jobs = jobs_of(numbered(4));
  const auto compiled_again = [&] {
    std::vector<bool> found;
    const auto note = [&](const CompileProgress& event) {
      if (event.step == JobStep::kDone) found.push_back(event.from_cache);
    };
    Runtime& runtime = runtime_of([](const Program&) { return artifact(); }, environment);
    EXPECT_TRUE(par_build(runtime, jobs, {.num_workers = 2, .progress = note}).ok());
    runtime_.reset();
    return found;
  };
  EXPECT_THAT(compiled_again(), Each(false));
  EXPECT_THAT(compiled_again(), AllOf(SizeIs(4), Each(true)));
  EXPECT_EQ(compiled_, 4);
}

TEST_F(ParCompileTest, ReportsNoCacheHitForInvalidProgram) {
  Program invalid = named("invalid");
  invalid.signature.params.clear();
  bool was_told = false;
  const auto note = [&](const CompileProgress& event) {
    if (event.step != JobStep::kFailed) return;
    was_told = true;
    EXPECT_FALSE(event.from_cache);
  };
  EXPECT_FALSE(par_build(failing({}), jobs_of({invalid}), {.progress = note}).ok());
  EXPECT_TRUE(was_told);
}

TEST_F(ParCompileTest, PersistsLearnedCostsWithCache) {
  const TempFolder folder;
  Environment environment;
  environment.cache_dir = folder.path() / "cache";
  ASSERT_TRUE(par_build(runtime_of([](const Program&) { return artifact(); }, environment), jobs_of(numbered(2))).ok());
  runtime_.reset();
  std::optional<std::chrono::milliseconds> first_eta;
  const auto note = [&](const CompileProgress& event) {
    if (event.step == JobStep::kCompiling && event.index == 0) first_eta = event.eta;
  };
  std::vector<CompileJob> jobs = jobs_of(numbered(2));
  for (CompileJob& job : jobs) job.options.use_cache = false;
  ASSERT_TRUE(par_build(runtime_of([](const Program&) { return artifact(); }, environment), jobs,
                        {.num_workers = 1, .progress = note})
                  .ok());
  EXPECT_TRUE(first_eta.has_value());  // before any job of this run has ended
}

TEST_F(ParCompileTest, PropagatesCallbackExceptionAndCancelsRest) {
  Door thrown;
  Runtime& runtime = runtime_of([&](const Program&) -> Result<Artifact> {
    thrown.pass();
    std::this_thread::sleep_for(5ms);  // until the rest is cancelled
    return artifact();
  });
  const ParCompileOptions how{.num_workers = 1, .progress = [&](const CompileProgress& event) {
                                if (event.step != JobStep::kCompiling) return;
                                thrown.open();
                                throw std::runtime_error("enough");
                              }};
  EXPECT_THROW(static_cast<void>(par_build(runtime, jobs_of(numbered(50)), how)), std::runtime_error);
  EXPECT_LT(compiled_, 50);
}

TEST_F(ParCompileTest, ReportsCompilerExceptionAsError) {
  Runtime& runtime = runtime_of([](const Program&) -> Result<Artifact> { throw std::runtime_error("no memory"); });
  const Error error = par_build(runtime, jobs_of(numbered(1))).error();
  EXPECT_EQ(error.code, ErrorCode::kInternal);
  EXPECT_THAT(error.message, HasSubstr("(no memory)"));
}

TEST_F(ParCompileTest, RejectsInvalidLimits) {
  const std::vector<CompileJob> jobs = jobs_of(numbered(1));
  Runtime& runtime = failing({});
  EXPECT_THAT(par_build(runtime, jobs, {.num_workers = -1}).error().message, HasSubstr("num_workers is -1"));
  EXPECT_THAT(par_build(runtime, jobs, {.timeout = -1ms}).error().message, HasSubstr("timeout cannot be negative"));
  EXPECT_EQ(par_build(runtime, jobs, {.timeout = -1ms}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(par_build(runtime, jobs, {.timeout = 0ms}).ok());  // no limit
  Runtime& other =
      runtime_of([](const Program&) { return artifact(); }, Environment::from({{"KMUX_COMPILE_MEMORY", "much"}}));
  EXPECT_THAT(par_build(other, jobs).error().message, HasSubstr("KMUX_COMPILE_MEMORY cannot be \"much\""));
  EXPECT_EQ(compiled_, 1);
}

}  // namespace
}  // namespace kmux
