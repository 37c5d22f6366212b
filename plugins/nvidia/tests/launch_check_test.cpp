#include "nvidia/launch_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"

#include "cubin_example.h"

namespace kmux::nvidia {
namespace {

using testing::HasSubstr;

// Returns a plan that launches "k" with a pointer and an int32.
Plan checked_plan(const Expr& grid = 1, const Expr& block = 32) {
  ProgramBuilder builder("checked");
  builder.buffer("x", BufferParam{dtype::kFloat32, {32}});
  builder.variant("cuda").source("k.cu", "");
  builder.launch("k").grid({grid}).block({1, 1, block}).args({"x"}).arg(7, dtype::kInt32);
  return lower(builder.build().value(), 0).value();
}

std::string cubin_of(std::vector<std::uint16_t> parameters) {
  CubinExample::Symbol symbol{"symbol_of_k"};
  symbol.parameters = std::move(parameters);
  return CubinExample{{symbol}}.bytes();
}

Status check(std::vector<std::uint16_t> parameters, bool spare = false) {
  const auto sizes = [spare](const PlanLaunch& launch) {
    ArgumentPack pack = argument_sizes(launch);
    pack.spare = spare;
    return pack;
  };
  return check_launches(checked_plan(), {"symbol_of_k"}, cubin_of(std::move(parameters)), sizes);
}

// C3.3
TEST(LaunchCheckTest, RejectsArgumentMismatchWithoutDevice) {
  EXPECT_TRUE(check({8, 4}).ok());
  const Status wider = check({8, 8});
  ASSERT_FALSE(wider.ok());
  EXPECT_EQ(wider.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(wider.error().message,
              HasSubstr("kernel \"k\" is launched with 2 arguments of 8, 4 bytes: pointer x, int32 7 (its code takes "
                        "2 arguments of 8, 8 bytes; argument 2 differs). Correct the launch or the kernel."));
  EXPECT_FALSE(check({8, 4, 4}).ok());
  EXPECT_FALSE(check({8}).ok());
}

TEST(LaunchCheckTest, AcceptsCodeWithoutParameterRecords) { EXPECT_TRUE(check({}).ok()); }

TEST(LaunchCheckTest, SpareByteAllowsOneEmptyParameter) {
  EXPECT_TRUE(check({8, 4}, true).ok());
  EXPECT_TRUE(check({8, 4, 1}, true).ok());
  EXPECT_FALSE(check({8, 4, 1}).ok());
  EXPECT_FALSE(check({8, 4, 1, 1}, true).ok());
  EXPECT_FALSE(check({8, 4, 2}, true).ok());
}

TEST(LaunchCheckTest, RejectsBlocksDeeperThan64) {
  EXPECT_TRUE(check_extents(checked_plan(1, 64)).ok());
  EXPECT_THAT(check_extents(checked_plan(1, 65)).error().message,
              HasSubstr("blocks whose extent z is 65 (the device has at most 64)"));
}

}  // namespace
}  // namespace kmux::nvidia
