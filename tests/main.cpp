// The main of every test program. It takes GoogleTest's options and --file=NAME, which runs the cases of that source
// file; --apart after it runs each in a separate process. --seeds=FIRST:COUNT runs the selected cases once for each
// seed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apart_runs.h"
#include "seeded_runs.h"

namespace {

using kmux::kAllSkipped;

// Returns the GoogleTest filter that selects every case of `file`.
std::string filter_of(std::string_view file) {
  std::string filter;
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  for (int s = 0; s < tests.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *tests.GetTestSuite(s);
    for (int c = 0; c < suite.total_test_count(); ++c) {
      const testing::TestInfo& test = *suite.GetTestInfo(c);
      const std::string_view path = test.file();
      if (path.substr(path.find_last_of('/') + 1) == file) {
        filter.append(suite.name()).append(".").append(test.name()).append(":");
      }
    }
  }
  return filter;
}

// Takes an option of this program; returns false if it is invalid.
bool take(const std::string& argument) {
  constexpr std::string_view kFile = "--file=";
  constexpr std::string_view kSeeds = "--seeds=";
  if (argument.starts_with(kFile)) {
    const std::string filter = filter_of(argument.substr(kFile.size()));
    if (filter.empty()) return std::fprintf(stderr, "%s: no test case in that file\n", argument.c_str()), false;
    GTEST_FLAG_SET(filter, filter);
  }
  if (argument.starts_with(kSeeds)) {
    const auto seeds = kmux::SeededRuns::parse(argument.substr(kSeeds.size()));
    if (!seeds) return std::fprintf(stderr, "%s: not FIRST:COUNT\n", argument.c_str()), false;
    seeds->install();
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  // Disables the cache: tests must compile, and must not fill the user's cache. Tests of the cache set a separate
  // folder.
  setenv("KMUX_DISABLE_CACHE", "1", /*overwrite=*/0);
  testing::InitGoogleMock(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (!take(argv[i])) return 1;
  }
  if (std::find(argv + 1, argv + argc, std::string_view("--apart")) != argv + argc)
    return kmux::run_apart(argv[0], GTEST_FLAG_GET(filter));
  const int status = RUN_ALL_TESTS();
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  const bool all_skipped = tests.skipped_test_count() > 0 && tests.successful_test_count() == 0;
  return status == 0 && all_skipped ? kAllSkipped : status;
}
