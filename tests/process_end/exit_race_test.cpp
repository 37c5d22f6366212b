// A process may end at any moment of its background compilation.
#include "exit_race.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/process.h"

#include "temp_folder.h"

namespace kmux {
namespace {

using testing::HasSubstr;

// An unloaded machine needs 100 ms at most; the rest is for other load and for a sanitizer.
#ifdef __SANITIZE_THREAD__
constexpr std::chrono::milliseconds kLimit(5000);
#else
constexpr std::chrono::milliseconds kLimit(1000);
#endif

ExitRaceReport race(const std::string& engine, const std::string& how, int count, int most_ms = 100) {
  const TempFolder folder;
  return ExitRace({.application = KMUX_ENDING_APPLICATION,
                   .folder = folder.path(),
                   .engine = engine,
                   .how = how,
                   .most_ms = most_ms})
      .run(count);
}

class ExitRacesTest : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(ExitRacesTest, NoProcessCrashesOrHangs) {
  const auto [engine, how] = GetParam();
  const ExitRaceReport report = race(engine, how, 8);
  EXPECT_EQ(report.died, 0) << report.first_death;
  EXPECT_LE(report.slowest, kLimit);
  RecordProperty("slowest_ms", static_cast<int>(report.slowest.count()));
}

INSTANTIATE_TEST_SUITE_P(BothEngines, ExitRacesTest,
                         testing::Values(std::pair("clang", "return"), std::pair("host", "return"),
                                         std::pair("clang", "quick_exit"), std::pair("host", "quick_exit"),
                                         std::pair("clang", "static_runtime"), std::pair("clang", "threads"),
                                         std::pair("host", "threads"), std::pair("clang", "grid")),
                         [](const auto& one) { return std::string(one.param.first) + "_" + one.param.second; });

TEST(ProcessEndTest, RejectsLateCompilation) {
  const TempFolder folder;
  const auto result = run({.argv = {KMUX_ENDING_APPLICATION, "late_compile"},
                           .environment = {{"KMUX_CACHE_DIR", folder.path() / "cache"}, {"KMUX_DISABLE_CACHE", ""}},
                           .timeout = std::chrono::seconds(60)});
  ASSERT_TRUE(result) << result.error().explain();
  EXPECT_EQ(result->exit_code, 0);
  EXPECT_THAT(result->standard_output, HasSubstr("late: nothing is compiled any more (the process is ending)."));
}

// Compilers that engine host has started are killed, and their folder is removed.
TEST(ProcessEndTest, CleansUpRunningCompilers) {
  const TempFolder folder;
  const ExitRace race({.application = KMUX_ENDING_APPLICATION, .folder = folder.path(), .engine = "host"});
  int clean = 0;  // on a machine under load, the end of the process may not have the time that killing needs
  constexpr int kRuns = 8;
  for (int i = 0; i < kRuns; ++i) {
    EXPECT_EQ(race.run(1, i).died, 0);
    bool is_clean = true;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      const std::string name = entry.path().filename();
      if (name == "warm" || name == "cache") continue;
      std::filesystem::remove_all(entry.path());
      is_clean = false;
    }
    if (is_clean) ++clean;
  }
  EXPECT_GE(clean, kRuns / 2);
}

}  // namespace
}  // namespace kmux
