#include "kmux/plugin/plan_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/base_plan.h"
#include "golden/recorder.h"

namespace kmux {
namespace {

using kmux::test::base_plan;
using kmux::test::filling_plan;
using kmux::test::launch_of;
using kmux::test::plan_with_alignment;
using kmux::test::Recorder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Expr kRunnerN = Expr::symbol("n");

char* memory() {
  static char buffer[1024];
  return buffer;
}

int run_plan(const Plan& plan, Recorder& recorder, std::int64_t n, std::uint64_t scalar = 0) {
  kmux_slot slots[3];
  slots[0].ptr = memory();
  slots[1].bits = scalar;
  slots[2].i64 = n;
  return PlanRunner::compile(plan).value().launch(slots, recorder.driver_env(), recorder.sink());
}

TEST(PlanRunnerTest, LaunchesInOrder) {
  Plan plan = base_plan();
  plan.steps = {launch_of(1), PlanFill{{}, kRunnerN * 4, 7}, launch_of(0, ceildiv(kRunnerN, 4))};
  Recorder recorder;
  EXPECT_EQ(run_plan(plan, recorder, 5), KMUX_OK);
  EXPECT_THAT(recorder.calls, ElementsAre("launch 1 x1", "fill 20 of 7", "launch 0 x2"));
  EXPECT_EQ(recorder.error, "");
}

TEST(PlanRunnerTest, StopsAtFirstFailure) {
  Plan plan = base_plan();
  plan.steps = {launch_of(0), launch_of(1), launch_of(0)};
  Recorder recorder;
  recorder.fail_at = "launch 1 x1";
  EXPECT_EQ(run_plan(plan, recorder, 5), KMUX_LAUNCH_FAILED);
  EXPECT_EQ(recorder.calls.size(), 2u);
}

TEST(PlanRunnerTest, SkipsEmptyGridBeforeEvaluatingRest) {
  Plan plan = base_plan();
  PlanLaunch launch = launch_of(0, kRunnerN);
  launch.dynamic_smem_bytes = floordiv(64, kRunnerN);
  plan.steps = {launch, launch_of(1)};
  Recorder recorder;
  EXPECT_EQ(run_plan(plan, recorder, 0), KMUX_OK);
  EXPECT_THAT(recorder.calls, ElementsAre("launch 1 x1"));
}

TEST(PlanRunnerTest, RejectsExtentsOutOfRange) {
  Plan plan = base_plan();
  plan.steps = {launch_of(0, kRunnerN * 2)};
  for (const std::int64_t n : {std::int64_t{-1}, std::int64_t{1} << 31, std::int64_t{1} << 62}) {
    Recorder recorder;
    EXPECT_EQ(run_plan(plan, recorder, n), KMUX_INVALID_ARGUMENT);
    EXPECT_THAT(recorder.error, HasSubstr("grid of \"k0\" = \"(n * 2, 1, 1)\""));
    EXPECT_THAT(recorder.calls, IsEmpty());
  }
}

TEST(PlanRunnerTest, RejectsEmptyConstantBlock) {
  Plan plan = base_plan();
  PlanLaunch launch = launch_of(0);
  launch.block = {0, 1, 1};
  plan.steps = {launch};
  Recorder recorder;
  EXPECT_EQ(run_plan(plan, recorder, 1), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(recorder.error, HasSubstr("block of \"k0\" = \"(0, 1, 1)\" (the value is out of range)"));
}

TEST(PlanRunnerTest, ReportsFailingLet) {
  Plan plan = base_plan();
  plan.lets = {{"t", floordiv(100, kRunnerN)}};
  plan.steps = {launch_of(0)};
  Recorder recorder;
  EXPECT_EQ(run_plan(plan, recorder, 0), KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(recorder.error,
            "cannot evaluate let \"t\" = \"floordiv(100, n)\" (division by zero). Pass arguments for which it has a "
            "value.");
  EXPECT_THAT(recorder.calls, IsEmpty());
}

TEST(PlanRunnerTest, ReportsArgumentOutOfRange) {
  Plan plan = base_plan();
  plan.steps = {launch_of(0, 1, {PlanAddress{}, PlanValue{Expr::cast(dtype::kInt8, kRunnerN), dtype::kInt8}})};
  Recorder recorder;
  EXPECT_EQ(run_plan(plan, recorder, 127), KMUX_OK);
  EXPECT_EQ(run_plan(plan, recorder, 128), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(recorder.error, HasSubstr("argument 1 of \"k0\" = \"int8(n)\" (the value does not fit its type)"));
}

// Padding between members must be 0, whatever the stack held before.
TEST(PlanRunnerTest, AssemblesStructArguments) {
  Plan plan = base_plan();
  const PlanStruct record{{{PlanAddress{PlanAddress::Source::kSlot, 0, 8}, 0},
                           {PlanScalar{1, dtype::kInt8}, 8},
                           {PlanValue{Expr::cast(dtype::kInt32, kRunnerN + 1), dtype::kInt32}, 12},
                           {PlanValue{kRunnerN, dtype::kInt64}, 16}},
                          32,
                          32};
  plan.steps = {launch_of(0, 1, {PlanScalar{1, dtype::kInt32}, record, record})};
  Recorder recorder;
  struct Bytes {
    void* address = memory() + 8;
    std::int8_t small = -2;
    std::int8_t gap[3] = {};
    std::int32_t number = 6;
    std::int64_t n = 5;
    std::int64_t rest = 0;
  } expected;
  recorder.on_launch = [&](const kmux_driver_launch& launch) {
    for (const int i : {1, 2}) {
      EXPECT_EQ(std::memcmp(launch.args[i], &expected, sizeof expected), 0) << i;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(launch.args[i]) % 32, 0U);
    }
  };
  EXPECT_EQ(run_plan(plan, recorder, 5, 0xfe), KMUX_OK);
  EXPECT_THAT(recorder.calls, ElementsAre("launch 0 x1"));
}

TEST(PlanRunnerTest, ReportsStructMemberOutOfRange) {
  Plan plan = base_plan();
  plan.steps = {
      launch_of(0, 1, {PlanStruct{{{PlanValue{Expr::cast(dtype::kInt8, kRunnerN), dtype::kInt8}, 0}}, 1, 1}})};
  Recorder recorder;
  EXPECT_EQ(run_plan(plan, recorder, 128), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(recorder.error, HasSubstr("argument 0 of \"k0\" = \"int8(n)\" (the value does not fit its type)"));
}

TEST(PlanRunnerTest, ReportsFailedAssertMessage) {
  Plan plan = base_plan();
  plan.asserts = {{kRunnerN > 0, "n must be \"positive\".\n100% sure?"}};
  plan.steps = {launch_of(0)};
  Recorder recorder;
  EXPECT_EQ(run_plan(plan, recorder, 0), KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(recorder.error, plan.asserts[0].message);
}

TEST(PlanRunnerTest, RejectsOversizedFillBeforeFirstStep) {
  const Plan plan = filling_plan([](BodyBuilder body, const Expr& n, const Expr& s) { body.fill("A", n * 4 + s); });
  Recorder whole;
  EXPECT_EQ(run_plan(plan, whole, 1024, 0), KMUX_OK);
  EXPECT_THAT(whole.calls, ElementsAre("launch 0 x1", "fill 4096 of 0"));
  Recorder larger;
  EXPECT_EQ(run_plan(plan, larger, 1024, 64), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(larger.calls, IsEmpty());
  EXPECT_EQ(larger.error, "fill of \"A\" writes 4160 bytes (the buffer has 4096). Fill at most the buffer.");
  Recorder negative;
  EXPECT_EQ(run_plan(plan, negative, 1, 0xfffffff8), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(negative.calls, IsEmpty());
  EXPECT_EQ(negative.error, "fill of \"A\" writes -4 bytes (the buffer has 4). Fill at most the buffer.");
  Recorder overflow;
  EXPECT_EQ(run_plan(plan, overflow, std::int64_t{1} << 62, 0), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(overflow.calls, IsEmpty());
  EXPECT_EQ(overflow.error,
            "cannot evaluate bounds of fill of \"A\" = \"n * 4 + s <= n * 4 and n * 4 + s >= 0\" (the value does not "
            "fit into 64 bits). Pass arguments for which it has a value.");
}

TEST(PlanRunnerTest, ChecksFillInLoopOrGuardAtItsStep) {
  const Plan plan = filling_plan([](BodyBuilder body, const Expr& n, const Expr& s) {
    body.when(s > 4, [&](BodyBuilder& then) { then.fill("A", n * 1024); });
    body.loop("i", 1, s, [](BodyBuilder& inner, const Expr& i) { inner.fill("A", i * 8, 1); });
  });
  Recorder third;
  EXPECT_EQ(run_plan(plan, third, 4, 4), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(third.calls, ElementsAre("launch 0 x1", "fill 8 of 1", "fill 16 of 1"));
  EXPECT_EQ(third.error, "fill of \"A\" writes 24 bytes (the buffer has 16). Fill at most the buffer.");
  Recorder guarded;
  EXPECT_EQ(run_plan(plan, guarded, 4, 5), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(guarded.calls, ElementsAre("launch 0 x1"));
  EXPECT_EQ(guarded.error, "fill of \"A\" writes 4096 bytes (the buffer has 16). Fill at most the buffer.");
}

Plan workspace_plan() {
  Plan plan = base_plan();
  plan.workspaces = {{"u", kRunnerN, 256}, {"v", 0, 256}, {"w", kRunnerN * 2, 16}};
  plan.steps = {launch_of(0, 1, {PlanAddress{PlanAddress::Source::kWorkspace, 2, 1}})};
  return plan;
}

TEST(PlanRunnerTest, FreesWorkspacesInReverseOrder) {
  Recorder recorder;
  EXPECT_EQ(run_plan(workspace_plan(), recorder, 8), KMUX_OK);
  EXPECT_THAT(recorder.calls, ElementsAre("allocate 8 at 256", "allocate 16 at 16", "launch 0 x1", "free 1", "free 0"));
}

TEST(PlanRunnerTest, FreesWorkspacesAfterFailedAllocation) {
  Recorder recorder;
  recorder.fail_at = "allocate 16 at 16";
  EXPECT_EQ(run_plan(workspace_plan(), recorder, 8), KMUX_LAUNCH_FAILED);
  EXPECT_THAT(recorder.calls, ElementsAre("allocate 8 at 256", "allocate 16 at 16", "free 0"));
  EXPECT_EQ(recorder.error,
            "cannot allocate workspace \"w\" (16 bytes on device 3). Free memory or pass smaller tensors.");
}

TEST(PlanRunnerTest, FreesWorkspacesAfterFailedLaunch) {
  Recorder recorder;
  recorder.fail_at = "launch 0 x1";
  EXPECT_EQ(run_plan(workspace_plan(), recorder, 8), KMUX_LAUNCH_FAILED);
  EXPECT_THAT(recorder.calls, ElementsAre("allocate 8 at 256", "allocate 16 at 16", "launch 0 x1", "free 1", "free 0"));
}

TEST(PlanRunnerTest, RoundsUpOveralignedWorkspaceAddress) {
  for (const std::int64_t alignment : {512, 4096, 65536}) {
    Recorder recorder;
    EXPECT_EQ(run_plan(plan_with_alignment(alignment), recorder, 20), KMUX_OK);
    const std::string wanted = "allocate " + std::to_string(20 + alignment - 256) + " at 256";
    EXPECT_THAT(recorder.calls, ElementsAre(wanted, "launch 0 x1", "free 0"));
    recorder.expect_aligned(alignment);
  }
}

TEST(PlanRunnerTest, FreesOriginalWorkspaceAddress) {
  Plan plan = plan_with_alignment(4096);
  plan.workspaces.push_back({"v", 8, 64});
  plan.workspaces.push_back({"u", 8, 512});
  plan.steps = {launch_of(0, 1, {PlanAddress{PlanAddress::Source::kWorkspace, 2, 1}})};
  Recorder recorder;
  EXPECT_EQ(run_plan(plan, recorder, 0), KMUX_OK);
  EXPECT_THAT(recorder.calls,
              ElementsAre("allocate 8 at 64", "allocate 264 at 256", "launch 0 x1", "free 1", "free 0"));
  EXPECT_EQ(recorder.argument_bits.at(0) % 512, 1u);
}

TEST(PlanRunnerTest, RejectsWorkspaceSizeOverflow) {
  Recorder recorder;
  EXPECT_EQ(run_plan(plan_with_alignment(512), recorder, INT64_MAX), KMUX_UNAVAILABLE);
  EXPECT_THAT(recorder.calls, IsEmpty());
  EXPECT_EQ(recorder.error,
            "cannot allocate workspace \"w\" (9223372036854775807 bytes on device 3). Free memory or pass smaller "
            "tensors.");
}

TEST(PlanRunnerTest, ExecutesBranchesAndLoops) {
  Plan plan = base_plan();
  const Expr i = Expr::symbol("i");
  plan.steps = {PlanIf{kRunnerN > 2, {PlanFor{"i", kRunnerN - 2, kRunnerN, {launch_of(0, i + 10)}}}, {launch_of(1)}}};
  Recorder large;
  EXPECT_EQ(run_plan(plan, large, 5), KMUX_OK);
  EXPECT_THAT(large.calls, ElementsAre("launch 0 x13", "launch 0 x14"));
  Recorder small;
  EXPECT_EQ(run_plan(plan, small, 2), KMUX_OK);
  EXPECT_THAT(small.calls, ElementsAre("launch 1 x1"));
}

TEST(PlanRunnerTest, ShadowsOuterLoopVariable) {
  Plan plan = base_plan();
  const Expr i = Expr::symbol("i");
  plan.steps = {PlanFor{"i", 1, 3, {PlanFor{"i", 7, 8, {launch_of(1, i)}}, launch_of(0, i)}}};
  Recorder recorder;
  EXPECT_EQ(run_plan(plan, recorder, 0), KMUX_OK);
  EXPECT_THAT(recorder.calls, ElementsAre("launch 1 x7", "launch 0 x1", "launch 1 x7", "launch 0 x2"));
}

TEST(PlanRunnerTest, PassesAllLaunchAttributes) {
  Plan plan = base_plan();
  PlanLaunch launch = launch_of(1, kRunnerN);
  launch.cluster = {2, 1, 1};
  launch.dynamic_smem_bytes = kRunnerN * 8;
  launch.cooperative = true;
  launch.programmatic_serialization = true;
  launch.l2_windows = {{{}, kRunnerN * 4, 0.25}, {{PlanAddress::Source::kSlot, 0, 0}, 64, 1}};
  plan.steps = {launch};
  Recorder recorder;
  EXPECT_EQ(run_plan(plan, recorder, 6), KMUX_OK);
  EXPECT_THAT(recorder.last.grid, ElementsAre(6, 1, 1));
  EXPECT_THAT(recorder.last.cluster, ElementsAre(2, 1, 1));
  EXPECT_EQ(recorder.last.dynamic_smem_bytes, 48u);
  EXPECT_EQ(recorder.last.flags, unsigned{kmux_cooperative | kmux_programmatic_serialization});
  EXPECT_EQ(recorder.last.window_count, 2u);
}

TEST(PlanRunnerTest, RejectsUnsignedScalarAboveInt64) {
  Plan plan = base_plan(dtype::kUInt64);
  plan.bindings = {{"s", 1, dtype::kUInt64}};
  plan.steps = {launch_of(0, Expr::symbol("s"))};
  Recorder recorder;
  EXPECT_EQ(run_plan(plan, recorder, 0, ~std::uint64_t{0}), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(recorder.error, HasSubstr("scalar \"s\" (the value is out of range)"));
}

TEST(PlanRunnerTest, RunsLargePlan) {
  Plan plan = base_plan();
  std::vector<PlanArg> args(1000, PlanValue{Expr::cast(dtype::kInt32, kRunnerN + 1), dtype::kInt32});
  plan.steps = {launch_of(0, 1, std::move(args))};
  Recorder recorder;
  EXPECT_EQ(run_plan(plan, recorder, 41), KMUX_OK);
  EXPECT_THAT(recorder.argument_bits, ElementsAre(42));
}

TEST(PlanRunnerTest, RejectsPlanExceedingStack) {
  Plan plan = base_plan();
  plan.steps = {launch_of(0, 1, std::vector<PlanArg>(5000, PlanAddress{}))};
  const auto refused = PlanRunner::compile(plan);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("5000 arguments"));
}

TEST(PlanRunnerTest, RejectsUnboundName) {
  Plan plan = base_plan();
  plan.steps = {launch_of(0, Expr::symbol("lost"))};
  const auto refused = PlanRunner::compile(plan);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("\"lost\" has no value here"));
}

}  // namespace
}  // namespace kmux
