#include "apart_runs.h"

#include <gtest/gtest.h>

#include "needs.h"

namespace kmux {
namespace {

// Cases for run_apart only: its children have this variable; elsewhere each case passes.
bool is_apart() { return std::getenv("TEST_FOLDER_OF_RUN") != nullptr; }

TEST(ApartCaseTest, Passes) {}

TEST(ApartCaseTest, Skips) {
  if (is_apart()) GTEST_SKIP() << needs("no run apart", "it shows a skip there");
}

TEST(ApartCaseTest, Fails) {
  if (is_apart()) FAIL();
}

class ApartRunsTest : public testing::Test {
 protected:
  void TearDown() override { unsetenv("TEST_FOLDER_OF_RUN"); }
};

TEST_F(ApartRunsTest, SkippedCasesAreNotFailures) {
  EXPECT_EQ(run_apart("unit_tests", "ApartCaseTest.Passes:ApartCaseTest.Skips:"), 0);
}

TEST_F(ApartRunsTest, OnlySkippedCasesCountAsSkip) {
  EXPECT_EQ(run_apart("unit_tests", "ApartCaseTest.Skips"), kAllSkipped);
}

TEST_F(ApartRunsTest, OneFailedCaseIsAFailure) {
  EXPECT_EQ(run_apart("unit_tests", "ApartCaseTest.Skips:ApartCaseTest.Fails:ApartCaseTest.Passes"), 1);
}

}  // namespace
}  // namespace kmux
