#include "regress/regress_check.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux::regress {
namespace {

using testing::ElementsAre;

const MachineClass kCheckMachine{"a", "b", "c"};
const RegressCase kCall{.name = "call"};
const RegressCase kLoad{.name = "load"};

/// Measures what it is told, and writes down whom.
struct Scripted {
  double call = 1;
  double load = 1;
  std::vector<std::string> asked = {};

  MeasureCase measure() {
    return [this](const RegressCase& regress_case) -> Result<Interval> {
      asked.push_back(regress_case.name);
      const double ratio = regress_case.name == "call" ? call : load;
      return Interval{ratio, ratio, ratio};
    };
  }
};

const Baseline kBaseline{kCheckMachine, {{"call", {{1, 1, 1}}}, {"load", {{1, 1, 1}}}}};

TEST(RegressCheckTest, ContinuesWithUndecidedCases) {
  Scripted machine{.call = 2};
  const auto results = check_cases({&kCall, &kLoad}, kBaseline, machine.measure()).value();
  EXPECT_EQ(results[0].check->finding(), Finding::kSlower);
  EXPECT_EQ(results[1].check->finding(), Finding::kSame);
  EXPECT_THAT(machine.asked,
              ElementsAre("call", "load", "call", "load", "call", "load", "call", "call", "call", "call"));
}

TEST(RegressCheckTest, SkipsCasesMissingFromBaseline) {
  Scripted machine;
  const auto results = check_cases({&kCall}, Baseline{kCheckMachine, {}}, machine.measure()).value();
  EXPECT_FALSE(results[0].check.has_value());
  EXPECT_TRUE(machine.asked.empty());
}

TEST(RegressCheckTest, UsesThresholdOfCase) {
  Scripted machine{.call = 1.3};
  RegressCase noisy = kCall;
  noisy.threshold = 0.5;
  EXPECT_EQ(check_cases({&noisy}, kBaseline, machine.measure()).value()[0].check->finding(), Finding::kSame);
}

TEST(RegressCheckTest, FailsWhenMeasurementFails) {
  const MeasureCase broken = [](const RegressCase&) -> Result<Interval> {
    return make_error(ErrorCode::kUnavailable, "no");
  };
  EXPECT_EQ(check_cases({&kCall}, kBaseline, broken).error().message, "no");
  EXPECT_EQ(measure_baseline({&kCall}, kCheckMachine, broken).error().message, "no");
}

TEST(RegressCheckTest, MeasuresBaselineInManyProcesses) {
  Scripted machine{.call = 3};
  const Baseline baseline = measure_baseline({&kCall, &kLoad}, kCheckMachine, machine.measure()).value();
  EXPECT_EQ(baseline.cases.at("call"), std::vector<Interval>(kBaselineProcesses, Interval{3, 3, 3}));
  EXPECT_EQ(baseline.cases.size(), 2);
  EXPECT_THAT(std::vector(machine.asked.begin(), machine.asked.begin() + 4),
              ElementsAre("call", "load", "call", "load"));
}

}  // namespace
}  // namespace kmux::regress
