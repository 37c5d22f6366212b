// A plugin's workers, with a clock that the test advances; integration/worker_test.cpp tests them from an application.
#include "isolation/worker_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class WorkerPoolTest : public testing::Test {
 protected:
  /// Returns the workers of null_a, in which `step` fails as `word` says.
  std::unique_ptr<WorkerPool> pool_with(const std::string& step, const std::string& word) {
    return std::make_unique<WorkerPool>(
        WorkerPool::Settings{.plugin = "null_a",
                             .program = KMUX_TEST_BUILD_DIR "/libexec/kmux/kmux-worker",
                             .manifest = KMUX_TEST_PLUGIN_DIR "/table/kmux_null_a.plugin.json",
                             .options = {{"null_a." + step, word}},
                             .host = {.log = [](std::int32_t, std::string_view) {}, .stopping = [] { return false; }},
                             .now = [this] { return now_; }});
  }
  static Error probe_error(WorkerPool& pool) { return pool.call({FrameKind::kProbe, {"/"}}, 60s).error(); }

  std::chrono::steady_clock::time_point now_{};
};

TEST_F(WorkerPoolTest, ForgetsCrashAfterTenMinutes) {
  for (const char* step : {"create", "probe"}) {
    const auto pool = pool_with(step, "segv");
    EXPECT_FALSE(probe_error(*pool).note("remembered"));
    now_ += 9min;
    EXPECT_TRUE(probe_error(*pool).note("remembered"));
    now_ += 1min;
    EXPECT_FALSE(probe_error(*pool).note("remembered")) << step;
  }
}

TEST_F(WorkerPoolTest, RetriesFailedOpenAfterTenSeconds) {
  WorkerPool pool({.plugin = "null_a",
                   .program = KMUX_TEST_BUILD_DIR "/libexec/kmux/kmux-worker",
                   .manifest = "/none.plugin.json",
                   .options = {},
                   .host = {.log = [](std::int32_t, std::string_view) {}, .stopping = [] { return false; }},
                   .now = [this] { return now_; }});
  EXPECT_FALSE(probe_error(pool).note("remembered"));
  EXPECT_TRUE(probe_error(pool).note("remembered"));
  now_ += 10s;
  EXPECT_FALSE(probe_error(pool).note("remembered"));
}

TEST_F(WorkerPoolTest, NeverRemembersKilledWorker) {
  for (const char* step : {"create", "probe"}) {
    const auto pool = pool_with(step, "kill");
    for (int call = 0; call < 3; ++call) {
      const Error killed = probe_error(*pool);
      EXPECT_THAT(killed.message, HasSubstr("was killed in"));
      EXPECT_THAT(killed.message, HasSubstr("SIGKILL"));
      EXPECT_FALSE(killed.note("remembered")) << step;
    }
  }
}

}  // namespace
}  // namespace kmux
