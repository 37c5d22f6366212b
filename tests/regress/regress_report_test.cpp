#include "regress/regress_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_folder.h"

namespace kmux::regress {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const RegressCase kReportedCall{.name = "call", .what = "a call", .reference = "calls"};
const RegressCase kReportedLoad{.name = "load", .what = "a load", .reference = "heap"};

/// `regress_case` after processes that all measured `ratio`, against a baseline of 1.
CaseResult result_of(const RegressCase& regress_case, double ratio) {
  CaseResult result{&regress_case, CaseCheck({{1, 1, 1}}, 0.1)};
  while (!result.check->is_decided()) result.check->add({ratio, ratio, ratio});
  return result;
}

TEST(RegressReportTest, ReportsNoSlowdown) {
  const std::vector<CaseResult> results = {result_of(kReportedCall, 1), result_of(kReportedLoad, 1.05)};
  EXPECT_EQ(exit_code_of(results), ExitCode::kPassed);
  EXPECT_THAT(report_text(results), AllOf(HasSubstr("nothing is slower than its baseline"), HasSubstr("+5.0 %")));
}

TEST(RegressReportTest, ReportsSlowerCaseWithRatiosAndAdvice) {
  const std::vector<CaseResult> results = {result_of(kReportedCall, 1.5), result_of(kReportedLoad, 1)};
  EXPECT_EQ(exit_code_of(results), ExitCode::kSlower);
  EXPECT_THAT(
      report_text(results),
      AllOf(HasSubstr("call is slower (its ratio to \"calls\" was 1 [1, 1] and is 1.5 [1.5, 1.5] in 7 processes; "
                      "10 % above the baseline are allowed)"),
            HasSubstr("./kmux.sh regress --update"), Not(HasSubstr("nothing is slower"))));
}

TEST(RegressReportTest, SuggestsNewBaselineForFasterCase) {
  const std::vector<CaseResult> results = {result_of(kReportedCall, 0.5)};
  EXPECT_EQ(exit_code_of(results), ExitCode::kPassed);
  EXPECT_THAT(report_text(results), HasSubstr("faster: call. Keep it that way: ./kmux.sh regress --update"));
}

TEST(RegressReportTest, DoesNotPassUnjudgedCases) {
  const std::vector<CaseResult> results = {result_of(kReportedCall, 1), {&kReportedLoad, std::nullopt}};
  EXPECT_EQ(exit_code_of(results), ExitCode::kNoBaseline);
  EXPECT_THAT(report_text(results), AllOf(HasSubstr("not judged, since the baseline does not have them: load"),
                                          Not(HasSubstr("nothing is slower"))));
}

TEST(RegressReportTest, RanksSlowerAboveMissingBaseline) {
  EXPECT_EQ(exit_code_of({result_of(kReportedCall, 2), {&kReportedLoad, std::nullopt}}), ExitCode::kSlower);
}

TEST(RegressReportTest, ExplainsHowToCreateFirstBaseline) {
  const TempFolder folder;
  const MachineClass machine{"Z80", "g++ 12", "Release"};
  EXPECT_THAT(no_baseline_text(folder.path(), machine),
              AllOf(HasSubstr("there is no baseline for \"Z80, g++ 12, Release\""), HasSubstr("has none"),
                    HasSubstr("nothing was compared"), HasSubstr("./kmux.sh regress --update")));
  folder.write("other.json", "");
  EXPECT_THAT(no_baseline_text(folder.path(), machine), HasSubstr("has other.json"));
}

}  // namespace
}  // namespace kmux::regress
