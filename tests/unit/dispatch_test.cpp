#include "kmux/dispatch.h"

#include <gmock/gmock.h>

namespace kmux {
namespace {

const Step kFill = Fill{.target = {"w"}, .bytes = 4};

TEST(DispatchTest, ComparesGuardsByConditionAndBothBranches) {
  const If guard{1, {kFill}, {}};
  EXPECT_EQ(guard, (If{1, {kFill}, {}}));
  EXPECT_NE(guard, (If{0, {kFill}, {}}));
  EXPECT_NE(guard, (If{1, {}, {}}));
  EXPECT_NE(guard, (If{1, {kFill}, {kFill}}));
}

TEST(DispatchTest, ComparesLoopsByVariableRangeAndSteps) {
  const For loop{"i", 0, 4, {kFill}};
  EXPECT_EQ(loop, (For{"i", 0, 4, {kFill}}));
  EXPECT_NE(loop, (For{"j", 0, 4, {kFill}}));
  EXPECT_NE(loop, (For{"i", 1, 4, {kFill}}));
  EXPECT_NE(loop, (For{"i", 0, 5, {kFill}}));
  EXPECT_NE(loop, (For{"i", 0, 4, {}}));
}

TEST(DispatchTest, ComparesNestedSteps) {
  const Body body{.steps = {For{"i", 0, 4, {If{1, {kFill}, {}}}}}};
  Body other = body;
  EXPECT_EQ(body, other);
  std::get<Fill>(std::get<If>(std::get<For>(other.steps[0]).steps[0]).then_steps[0]).value = 1;
  EXPECT_NE(body, other);
}

}  // namespace
}  // namespace kmux
