// The limits of par_compile: memory, cores, time, and the caller's options.
#include <algorithm>
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/runtime.h"

#include "par_compile_fixture.h"
#include "pool/compile_pool.h"
#include "pool/compile_run.h"
#include "system/runtime_impl.h"

namespace kmux {
namespace {

using namespace std::chrono_literals;
using ParCompileLimitsTest = ParCompileTest;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Records the largest number of concurrent compiles.
class Crowd {
 public:
  Result<Artifact> compile(const Program&) {
    const int now = ++inside_;
    int seen = most_;
    while (now > seen && !most_.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::sleep_for(2ms);
    --inside_;
    return artifact();
  }
  int most() const { return most_; }

 private:
  std::atomic<int> inside_ = 0;
  std::atomic<int> most_ = 0;
};

TEST_F(ParCompileLimitsTest, CompilesSequentiallyIfMemoryFitsOneJob) {
  Crowd crowd;
  Runtime& runtime = runtime_of([&](const Program& program) { return crowd.compile(program); });
  ASSERT_TRUE(par_build(runtime, jobs_of(numbered(12)), {.num_workers = 4, .memory_budget = 1}).ok());
  EXPECT_EQ(crowd.most(), 1);
  EXPECT_EQ(compiled_, 12);
}

TEST_F(ParCompileLimitsTest, LimitsConcurrencyByLearnedPeaks) {
  Crowd crowd;
  Runtime& runtime = runtime_of([&](const Program& program) { return crowd.compile(program); });
  constexpr std::uint64_t kPeak = std::uint64_t{1} << 30;
  runtime.impl().compile_pool().costs().learn("compiling", {.peak_bytes = kPeak, .milliseconds = 1});
  // A peak falls slowly, so that twelve jobs do not get it below 5/4 of two.
  ASSERT_TRUE(par_build(runtime, jobs_of(numbered(4)), {.num_workers = 4, .memory_budget = 2 * kPeak}).ok());
  EXPECT_EQ(crowd.most(), 2);
}

TEST_F(ParCompileLimitsTest, ReadsMemoryBudgetFromEnvironment) {
  Crowd crowd;
  Runtime& runtime = runtime_of([&](const Program& program) { return crowd.compile(program); },
                                Environment::from({{"KMUX_COMPILE_MEMORY", "1K"}}));
  ASSERT_TRUE(par_build(runtime, jobs_of(numbered(6)), {.num_workers = 3}).ok());
  EXPECT_EQ(crowd.most(), 1);
}

TEST_F(ParCompileLimitsTest, SharesCoresBetweenConcurrentCalls) {
  Crowd crowd;
  Runtime& runtime = runtime_of([&](const Program& program) { return crowd.compile(program); });
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int thread = 0; thread < 16; ++thread) {
    threads.emplace_back([&, thread] {
      std::vector<Program> programs;
      for (int i = 0; i < 4; ++i) programs.push_back(named("p" + std::to_string(thread) + "_" + std::to_string(i)));
      good += par_compile(runtime, programs, {}, {.num_workers = 2, .memory_budget = 1ULL << 40}).ok();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 16);
  EXPECT_EQ(compiled_, 64);
  EXPECT_LE(crowd.most(), static_cast<int>(std::max(2U, std::thread::hardware_concurrency())));
}

TEST_F(ParCompileLimitsTest, CancelsQueuedJobsAfterStopRequest) {
  std::stop_source stop;
  Runtime& runtime = runtime_of([&](const Program&) -> Result<Artifact> {
    stop.request_stop();
    return artifact();
  });
  const auto result = try_par_compile(runtime, numbered(6), {}, {.num_workers = 1, .cancel = stop.get_token()});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
  EXPECT_THAT(result.error().message, HasSubstr("compiling was cancelled ("));
  EXPECT_EQ(compiled_, 1);
}

TEST_F(ParCompileLimitsTest, CompilesNothingIfAlreadyCancelled) {
  std::stop_source stop;
  stop.request_stop();
  std::vector<JobStep> steps;
  const ParCompileOptions how{.cancel = stop.get_token(),
                              .progress = [&](const CompileProgress& event) { steps.push_back(event.step); }};
  EXPECT_FALSE(par_compile(failing({}), numbered(2), {}, how).ok());
  EXPECT_EQ(compiled_, 0);
  EXPECT_THAT(steps, ElementsAre(JobStep::kQueued, JobStep::kQueued, JobStep::kCancelled, JobStep::kCancelled));
}

TEST(TimeLimitTest, DefaultsOnlyForSeveralPrograms) {
  EXPECT_EQ(time_limit({}, 1), std::nullopt);
  EXPECT_EQ(time_limit({}, 2), kUsualTimeout);
  EXPECT_EQ(time_limit({.timeout = 0ms}, 2), 0ms);
  EXPECT_EQ(time_limit({.timeout = 5ms}, 1), 5ms);
}

TEST_F(ParCompileLimitsTest, AbandonsTimedOutCompiler) {
  Door door;
  std::atomic<bool> ended = false;
  Runtime& runtime = runtime_of([&](const Program& program) -> Result<Artifact> {
    if (program.name == "p1") {
      door.pass();
      ended = true;
    }
    return artifact();
  });
  std::vector<CompileJob> jobs = jobs_of(numbered(3));
  jobs[1].timeout = 20ms;
  const auto kernels = try_par_compile(runtime, jobs, {.num_workers = 1}).value();
  EXPECT_FALSE(ended);
  ASSERT_EQ(kernels.size(), 3U);
  EXPECT_TRUE(kernels[0] && kernels[2]);  // another thread continued
  EXPECT_THAT(kernels[1].error().message, AllOf(HasSubstr("program \"p1\" was not compiled within 20 ms"),
                                                HasSubstr("its compiler is left behind in this process")));
  door.open();
  runtime_.reset();  // waits for the abandoned compile
  EXPECT_TRUE(ended);
}

TEST_F(ParCompileLimitsTest, AbandonsRunningCompilerOnCancel) {  // C3.4
  Door door;
  std::stop_source stop;
  std::atomic<bool> ended = false;
  Runtime& runtime = runtime_of([&](const Program&) -> Result<Artifact> {
    stop.request_stop();
    door.pass();
    ended = true;
    return artifact();
  });
  const auto began = std::chrono::steady_clock::now();
  std::vector<JobStep> steps;
  const ParCompileOptions how{.num_workers = 1, .cancel = stop.get_token(), .progress = [&](const auto& event) {
                                steps.push_back(event.step);
                              }};
  EXPECT_EQ(par_compile(runtime, numbered(2), {}, how).error().code, ErrorCode::kCancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 2s);
  EXPECT_FALSE(ended);
  EXPECT_EQ(std::ranges::count(steps, JobStep::kCancelled), 2);
  door.open();
  runtime_.reset();  // waits for the abandoned compile
  EXPECT_TRUE(ended);
  EXPECT_EQ(compiled_, 1);
}

TEST_F(ParCompileLimitsTest, PollsOnCallerThreadAndPropagatesException) {  // C3.4
  Door door;
  Runtime& runtime = runtime_of([&](const Program&) -> Result<Artifact> {
    door.pass();
    return artifact();
  });
  int polls = 0;
  const auto caller = std::this_thread::get_id();
  const auto poll = [&] {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    if (++polls == 3) throw std::runtime_error("enough");
  };
  EXPECT_THROW(std::ignore = par_compile(runtime, numbered(1), {}, {.poll = poll}), std::runtime_error);
  EXPECT_EQ(polls, 3);
  door.open();
  runtime_.reset();
}

TEST_F(ParCompileLimitsTest, ExcludesMemoryWaitFromTimeout) {
  Runtime& runtime = runtime_of([&](const Program&) -> Result<Artifact> {
    std::this_thread::sleep_for(60ms);
    return artifact();
  });
  const ParCompileOptions how{.num_workers = 4, .memory_budget = 1, .timeout = 10s};
  EXPECT_TRUE(par_build(runtime, jobs_of(numbered(4)), how).ok());
}

}  // namespace
}  // namespace kmux
