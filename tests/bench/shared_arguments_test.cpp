#include <gtest/gtest.h>

#include "kmux/builder.h"

#include "bench/src/contestant.h"

namespace kmux::bench {
namespace {

/// Four floats in, four out, and one.
Program program_of_four() {
  ProgramBuilder program("four");
  program.input("x", dtype::kFloat32, {4}).output("y", dtype::kFloat32, {4}).variant("c");
  program.source("four.c", "void four(const float* x, float* y) { y[0] = x[0]; }\n");
  program.launch("four").args({"x", "y"});
  return program.build().value();
}

class SharedArgumentsTest : public testing::Test {
 protected:
  Program program_ = program_of_four();
  Binding binding_{program_};
  Inputs inputs_ = Inputs::parse(program_, {"x=arange"}).value();
  SharedArguments shared_{program_, inputs_, binding_};
};

TEST_F(SharedArgumentsTest, AreReusedOnSameDevice) {
  CallArguments* const first = shared_.on(Device{}).value();
  EXPECT_EQ(shared_.on(Device{}).value(), first);
}

TEST_F(SharedArgumentsTest, FailOnUnsupportedDevice) {
  const auto made = shared_.on(Device::foreign({kDLCUDA, 0}));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::kUnsupported);
}

TEST_F(SharedArgumentsTest, RefillRestoresInitialContents) {
  CallArguments& arguments = *shared_.on(Device{}).value();
  auto* x = arguments.tensors()[0].data_as<float>();
  auto* y = arguments.tensors()[1].data_as<float>();
  EXPECT_EQ(x[3], 3);
  EXPECT_EQ(y[3], 0);
  x[3] = y[3] = 7;
  ASSERT_TRUE(arguments.refill());
  EXPECT_EQ(x[3], 3);
  EXPECT_EQ(y[3], 0);
  EXPECT_EQ(arguments.tensors()[0].data_as<float>(), x) << "at the same place";
}

}  // namespace
}  // namespace kmux::bench
