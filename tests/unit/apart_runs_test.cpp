#include "apart_runs.h"

#include <gtest/gtest.h>

#include "needs.h"

namespace kmux {
namespace {

// Cases for run_apart only: its children have this variable; elsewhere each case passes.
bool is_apart() { return std::getenv("TEST_FOLDER_OF_RUN") != nullptr; }

TEST(ApartCase, Passes) {}

TEST(ApartCase, Skips) {
  if (is_apart()) GTEST_SKIP() << needs("no run apart", "it shows a skip there");
}

TEST(ApartCase, Fails) {
  if (is_apart()) FAIL();
}

class ApartRuns : public testing::Test {
 protected:
  void TearDown() override { unsetenv("TEST_FOLDER_OF_RUN"); }
};

TEST_F(ApartRuns, SkippedCasesAreNoFailures) {
  EXPECT_EQ(run_apart("unit_tests", "ApartCase.Passes:ApartCase.Skips:"), 0);
}

TEST_F(ApartRuns, SkippedCasesAloneAreASkip) { EXPECT_EQ(run_apart("unit_tests", "ApartCase.Skips"), kAllSkipped); }

TEST_F(ApartRuns, OneFailedCaseIsAFailure) {
  EXPECT_EQ(run_apart("unit_tests", "ApartCase.Skips:ApartCase.Fails:ApartCase.Passes"), 1);
}

}  // namespace
}  // namespace kmux
