// kmux_regress as a person or a CI job types it, with the case that compares a reference with itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/process.h"

#include "regress/baseline.h"
#include "temp_folder.h"

namespace kmux::regress {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class RegressProgramTest : public testing::Test {
 protected:
  ProcessResult run(std::vector<std::string> words) const {
    words.insert(words.begin(), {KMUX_REGRESS, "--baselines", folder_.path().string()});
    return kmux::run({.argv = std::move(words)}).value();
  }
  /// A baseline in which the control's ratio is `ratio`.
  void write_control(double ratio) const {
    const std::vector<Interval> ratios(15, Interval{ratio, ratio, ratio});
    write_baseline(folder_.path(), {this_machine_class(), {{"control", ratios}, {"other", ratios}}}).value();
  }
  TempFolder folder_;
};

TEST_F(RegressProgramTest, DetectsDoubledWork) {
  write_control(1);
  const ProcessResult result = run({"--case", "control", "--burden", "control=2"});
  EXPECT_EQ(result.exit_code, 1) << result.standard_output << result.standard_error;
  EXPECT_THAT(result.standard_output, HasSubstr("control is slower (its ratio to \"calls\" was 1 [1, 1] and is "));
}

TEST_F(RegressProgramTest, PassesCaseWithinBaseline) {
  write_control(1.5);  // allowed up to 1.65, and faster only below 1.36: said, but no failure
  const ProcessResult result = run({"--case", "control"});
  EXPECT_EQ(result.exit_code, 0) << result.standard_output << result.standard_error;
  EXPECT_THAT(result.standard_output, HasSubstr("nothing is slower than its baseline"));
}

TEST_F(RegressProgramTest, ReportsMissingBaseline) {
  const ProcessResult result = run({"--case", "control"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.standard_output, "");
  EXPECT_THAT(result.standard_error, AllOf(HasSubstr("there is no baseline for"), HasSubstr("nothing was compared")));
}

TEST_F(RegressProgramTest, RejectsMalformedBaseline) {
  folder_.write(this_machine_class().file_name(), "{\"version\": 1}");
  const ProcessResult result = run({"--case", "control"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.standard_error, HasSubstr("it has no member \"machine\""));
}

TEST_F(RegressProgramTest, RejectsPartialUpdateOfMalformedBaseline) {
  folder_.write(this_machine_class().file_name(), "{");
  EXPECT_EQ(run({"--case", "control", "--update"}).exit_code, 2);
}

TEST_F(RegressProgramTest, UpdatesNamedCaseAndKeepsOthers) {
  write_control(5);
  const ProcessResult result = run({"--case", "control", "--update"});
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(result.standard_output, HasSubstr("(2 cases). Commit it."));
  const auto baseline = read_baseline(folder_.path(), this_machine_class()).value();
  ASSERT_TRUE(baseline);
  EXPECT_EQ(baseline->cases.at("control").size(), 15);
  EXPECT_NE(baseline->cases.at("control").front().median, 5);
  EXPECT_EQ(baseline->cases.at("other").front().median, 5);
}

TEST_F(RegressProgramTest, RejectsInvalidArguments) {
  for (const char* burden : {"control", "control=0", "control=x", "control=2x", "none=2"}) {
    EXPECT_EQ(run({"--burden", burden}).exit_code, 2) << burden;
  }
  const ProcessResult part = run({"--burden", "hit_disk=1.5"});  // which a sample does once
  EXPECT_EQ(part.exit_code, 2);
  EXPECT_THAT(part.standard_error, HasSubstr("case \"hit_disk\" cannot bear that burden"));
  EXPECT_EQ(run({"--case", "none"}).exit_code, 2);
  EXPECT_EQ(run({"--measure", "none"}).exit_code, 2);
  EXPECT_EQ(run({"--no-such-option"}).exit_code, 2);
  EXPECT_EQ(run({"--help"}).exit_code, 0);
}

}  // namespace
}  // namespace kmux::regress
