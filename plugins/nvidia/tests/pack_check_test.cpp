#include "nvidia/launch/loaded_code.h"
#include "opened_launcher.h"

namespace kmux::nvidia {
namespace {

// Kernel "add" takes 8 and 4 bytes, as reported by the fake driver.
class PackCheckTest : public OpenedLauncherTest {
 protected:
  int prepare_with(std::vector<unsigned> sizes, bool spare = false) {
    sizes_ = std::move(sizes);
    pack_ = {0, static_cast<unsigned>(sizes_.size()), sizes_.data(), spare};
    facts.packs = &pack_;
    facts.pack_count = 1;
    return launcher().prepare(0, sink());
  }
  std::vector<unsigned> sizes_;
  PackFacts pack_{};
};

TEST_F(PackCheckTest, AcceptsMatchingArguments) {
  EXPECT_EQ(prepare_with({8, 4}), KMUX_OK) << error;
  fake.clear_calls();
  EXPECT_EQ(launch(add()), KMUX_OK) << error;
  EXPECT_THAT(fake.calls("cuKernelGetParamInfo"), IsEmpty());
}

TEST_F(PackCheckTest, RunsOnceForAllDevices) {
  fake.set_devices({{}, {}});
  fake.set_parameters("add", {8, 4});
  fake.set_parameters("mul", {});
  EXPECT_EQ(prepare_with({8, 4}), KMUX_OK) << error;
  fake.clear_calls();
  EXPECT_EQ(launcher().prepare(1, sink()), KMUX_OK) << error;
  EXPECT_THAT(fake.calls("cuKernelGetParamInfo"), IsEmpty());
}

TEST_F(PackCheckTest, RejectsSizeMismatchBeforeLaunch) {
  EXPECT_EQ(prepare_with({8, 8}), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error, HasSubstr("parameter 1 of kernel \"add\" has 4 bytes (a launch passes 8)"));
  EXPECT_EQ(launch(add()), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(fake.calls("cuLaunchKernelEx"), IsEmpty());
}

TEST_F(PackCheckTest, RejectsTooFewArguments) {
  EXPECT_EQ(prepare_with({8}), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error, HasSubstr("kernel \"add\" has a parameter 1 of 4 bytes (a launch passes 1 arguments)"));
}

TEST_F(PackCheckTest, RejectsTooManyArguments) {
  EXPECT_EQ(prepare_with({8, 4, 4}), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error, HasSubstr("kernel \"add\" has 2 parameters (a launch passes 3 arguments)"));
}

TEST_F(PackCheckTest, SpareByteAllowsEmptyParameter) {
  fake.set_parameters("add", {8, 4, 1});
  EXPECT_EQ(prepare_with({8, 4}, true), KMUX_OK) << error;
}

TEST_F(PackCheckTest, SpareByteAllowsOnlyOneParameter) {
  fake.set_parameters("add", {8, 4, 1, 1});
  EXPECT_EQ(prepare_with({8, 4}, true), KMUX_INVALID_ARGUMENT);
}

TEST_F(PackCheckTest, RejectsExtraParameterWithoutSpareByte) {
  fake.set_parameters("add", {8, 4, 1});
  EXPECT_EQ(prepare_with({8, 4}), KMUX_INVALID_ARGUMENT);
}

TEST_F(PackCheckTest, ReportsDriverFailure) {
  fake.fail("cuKernelGetParamInfo", CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_NE(prepare_with({8, 4}), KMUX_OK);
  EXPECT_THAT(error, AllOf(HasSubstr("cuKernelGetParamInfo"), HasSubstr("kernel \"add\"")));
}

TEST_F(PackCheckTest, SkipsCheckAndReportsOnOldDriver) {
  DriverTable old = *open_driver(sink());
  old.kernel_parameter = nullptr;
  const unsigned sizes[] = {1, 2, 3};
  const PackFacts pack = {0, 3, sizes, false};
  facts.packs = &pack;
  facts.pack_count = 1;
  Launcher launcher("code", facts, log(), &old);
  EXPECT_EQ(launcher.prepare(0, sink()), KMUX_OK) << error;
  EXPECT_THAT(logs, ElementsAre(HasSubstr("\"sum\": arguments are not compared with parameters")));
}

}  // namespace
}  // namespace kmux::nvidia
