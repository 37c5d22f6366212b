#include "kmux/plugin/launch_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"

namespace kmux {
namespace {

using testing::HasSubstr;

constexpr LaunchLimits kFewLimits{{1000, 100, 10}, {512, 64, 8}, 512};

class LaunchCheckTest : public testing::Test {
 protected:
  Plan plan(const Extents& grid, const Extents& block) {
    ProgramBuilder builder{"checked"};
    static_cast<void>(builder.scalar("n", dtype::kInt32));
    builder.variant("cuda").source("k.cu", "");
    builder.launch("k").grid(grid).block(block);
    return lower(builder.build().value(), 0).value();
  }
  std::string extents(const Extents& grid, const Extents& block) {
    const Status status = check_extents(plan(grid, block), kFewLimits);
    if (status.ok()) return "";
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    return status.error().message;
  }
  std::string kernel(const std::vector<unsigned>& passed, const KernelForm& form) {
    const Plan made = plan({1}, {16, 16});
    const Status status = check_kernel("k", std::get<PlanLaunch>(made.steps[0]), passed, form);
    return status.ok() ? "" : status.error().message;
  }

  Expr n = Expr::symbol("n");
};

// C3.3: each names the kernel and what is wrong.
TEST_F(LaunchCheckTest, AnEmptyGridIsRefused) {
  EXPECT_EQ(extents({1, 0}, {32}),
            "kernel \"k\" is launched on a grid whose extent y is 0 (it would never run). "
            "Give it a block, or remove the launch.");
}

TEST_F(LaunchCheckTest, AGridIsAtMostTheDevices) {
  EXPECT_THAT(extents({1000, 101}, {32}),
              HasSubstr("a grid whose extent y is 101 (the device has at most 100). Use a smaller grid."));
}

TEST_F(LaunchCheckTest, ABlockHasAtMostTheThreadsOfTheDevice) {
  EXPECT_THAT(extents({1}, {64, 64}), HasSubstr("blocks of 4096 threads (the device has at most 512)."));
  EXPECT_THAT(extents({1}, {1, 65}), HasSubstr("blocks whose extent y is 65 (the device has at most 64)."));
  EXPECT_THAT(extents({1}, {2147483647, 2147483647, 2147483647}), HasSubstr("(the device has at most 512)"));
}

TEST_F(LaunchCheckTest, WhatFitsAndWhatOnlyACallKnowsPasses) {
  EXPECT_EQ(extents({1000, 100, 10}, {512}), "");
  EXPECT_EQ(extents({n}, {n, 64}), "");
}

TEST_F(LaunchCheckTest, ArgumentsAreComparedWhereTheCodeSaysThem) {
  EXPECT_EQ(kernel({8, 4}, KernelForm{std::vector<unsigned>{8, 4}, 256}), "");
  EXPECT_EQ(kernel({8, 4}, KernelForm{}), "");
  EXPECT_EQ(kernel({8}, KernelForm{std::vector<unsigned>{}, 0}),
            "kernel \"k\" is launched with 1 argument of 8 bytes (its code takes 0 arguments). "
            "Correct the launch or the kernel.");
}

TEST_F(LaunchCheckTest, BlocksFitTheBoundsOfTheKernel) {
  EXPECT_THAT(kernel({}, KernelForm{std::nullopt, 128}),
              HasSubstr("blocks of 256 threads (its code is compiled for at most 128). Use "
                        "smaller blocks, or raise __launch_bounds__."));
}

// So that a backend has both sides of `check_kernel`, whatever tells it what its code takes (C3.11).
TEST_F(LaunchCheckTest, PassedBytesAreThoseOfTheArguments) {
  ProgramBuilder builder{"passed"};
  builder.output("out", dtype::kFloat32, {1});
  const Expr x = builder.scalar("x", dtype::kInt8);
  builder.variant("cuda").source("k.cu", "");
  builder.launch("k").grid({1}).block({1}).args({"out", "x"}).arg(x + Expr(1), dtype::kInt32);
  const Plan made = lower(builder.build().value(), 0).value();
  const auto& launch = std::get<PlanLaunch>(made.steps[0]);
  const std::vector<unsigned> passed = passed_bytes(launch);
  EXPECT_THAT(passed, testing::ElementsAre(8, 1, 4));
  EXPECT_THAT(check_kernel("k", launch, passed, {.argument_bytes = {{8, 4, 1}}}).error().message,
              HasSubstr("3 arguments of 8, 1, 4 bytes (its code takes 3 arguments of 8, 4, 1 bytes)"));
}

}  // namespace
}  // namespace kmux
