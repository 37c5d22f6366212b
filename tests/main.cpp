// The main of every test program: GoogleTest's own, --file=NAME, which runs the cases written in that source file,
// --apart behind it, each in a process of its own, and --seeds=FIRST:COUNT, which runs what is selected once a seed.
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

// The GoogleTest filter that names every case of `file`.
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

// Takes one of our options; false if it cannot be.
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
  // What a test compiles is compiled, and nobody's cache is filled. Tests of the cache name a folder of their own.
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
