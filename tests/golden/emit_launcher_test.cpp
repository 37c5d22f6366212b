// Compiles printed launchers and calls them with a driver that records its calls.
#include <algorithm>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/driver_dialect.h"

#include "base_plan.h"
#include "compiled.h"
#include "recorder.h"

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

const Expr kN = Expr::symbol("n");

using Launcher = int(const kmux_slot*, const kmux_launch_env*, kmux_sink);

// A compiled launcher.
class Compiled {
 public:
  explicit Compiled(const Plan& plan) : library_(load(plan)) {
    launcher_ = library_.function<Launcher>("kmux_launch").value();
  }

  int operator()(Recorder& recorder, std::int64_t n, std::uint64_t scalar = 0) const {
    kmux_slot slots[3];
    slots[0].ptr = data();
    slots[1].bits = scalar;
    slots[2].i64 = n;
    return launcher_(slots, recorder.env(), recorder.sink());
  }

  static char* data() {
    static char buffer[1024];
    return buffer;
  }

 private:
  static DynamicLibrary load(const Plan& plan) {
    DriverDialect dialect;
    return test::compile(emit_launcher(plan, dialect, "kmux_launch")).value();
  }
  DynamicLibrary library_;
  Launcher* launcher_ = nullptr;
};

TEST(EmitLauncherTest, LaunchesInOrder) {
  Plan plan = base_plan();
  plan.steps = {launch_of(1), PlanFill{{}, kN * 4, 7}, launch_of(0, kN)};
  Recorder recorder;
  EXPECT_EQ(Compiled(plan)(recorder, 5), KMUX_OK);
  EXPECT_THAT(recorder.calls, ElementsAre("launch 1 x1", "fill 20 of 7", "launch 0 x5"));
  EXPECT_EQ(recorder.error, "");
}

TEST(EmitLauncherTest, StopsAtFirstFailure) {
  Plan plan = base_plan();
  plan.steps = {launch_of(0), launch_of(1), launch_of(0)};
  Recorder recorder;
  recorder.fail_at = "launch 1 x1";
  EXPECT_EQ(Compiled(plan)(recorder, 5), KMUX_LAUNCH_FAILED);
  EXPECT_EQ(recorder.calls.size(), 2u);
}

TEST(EmitLauncherTest, SkipsEmptyGridBeforeEvaluatingAttributes) {
  Plan plan = base_plan();
  PlanLaunch launch = launch_of(0, kN);
  launch.dynamic_smem_bytes = floordiv(64, kN);
  plan.steps = {launch, launch_of(1)};
  const Compiled compiled(plan);
  Recorder recorder;
  EXPECT_EQ(compiled(recorder, 0), KMUX_OK);
  EXPECT_THAT(recorder.calls, ElementsAre("launch 1 x1"));
}

TEST(EmitLauncherTest, RejectsGridExtentsOutOfRange) {
  Plan plan = base_plan();
  plan.steps = {launch_of(0, kN * 2)};
  const Compiled compiled(plan);
  for (const std::int64_t n : {std::int64_t{-1}, std::int64_t{1} << 31, std::int64_t{1} << 62}) {
    Recorder recorder;
    EXPECT_EQ(compiled(recorder, n), KMUX_INVALID_ARGUMENT);
    EXPECT_THAT(recorder.error, HasSubstr("grid of \"k0\" = \"(n * 2, 1, 1)\""));
    EXPECT_THAT(recorder.calls, IsEmpty());
  }
}

TEST(EmitLauncherTest, RejectsEmptyBlock) {
  Plan plan = base_plan();
  PlanLaunch launch = launch_of(0);
  launch.block = {kN, 1, 1};
  plan.steps = {launch};
  Recorder recorder;
  EXPECT_EQ(Compiled(plan)(recorder, 0), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(recorder.error, HasSubstr("block of \"k0\""));
  EXPECT_THAT(recorder.error, HasSubstr("out of range"));
}

TEST(EmitLauncherTest, NamesFailingLet) {
  Plan plan = base_plan();
  plan.lets = {{"t", floordiv(100, kN)}};
  plan.steps = {launch_of(0)};
  const Compiled compiled(plan);
  Recorder recorder;
  EXPECT_EQ(compiled(recorder, 0), KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(recorder.error,
            "cannot evaluate let \"t\" = \"floordiv(100, n)\" (division by zero). Pass arguments for which it has a "
            "value.");
  EXPECT_THAT(recorder.calls, IsEmpty());
}

TEST(EmitLauncherTest, NamesArgumentOutOfRange) {
  Plan plan = base_plan();
  plan.steps = {launch_of(0, 1, {PlanAddress{}, PlanValue{Expr::cast(dtype::kInt8, kN), dtype::kInt8}})};
  const Compiled compiled(plan);
  Recorder recorder;
  EXPECT_EQ(compiled(recorder, 127), KMUX_OK);
  EXPECT_EQ(compiled(recorder, 128), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(recorder.error, HasSubstr("argument 1 of \"k0\" = \"int8(n)\" (the value does not fit its type)"));
}

TEST(EmitLauncherTest, RejectsNegativeSizesAndOffsets) {
  Plan plan = base_plan();
  plan.steps = {PlanFill{{}, kN, 0}};
  Recorder recorder;
  EXPECT_EQ(Compiled(plan)(recorder, -1), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(recorder.error, HasSubstr("size of fill"));
  plan.steps = {launch_of(0, 1, {PlanAddress{PlanAddress::Source::kSlot, 0, kN}})};
  Recorder other;
  EXPECT_EQ(Compiled(plan)(other, -4), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(other.error, HasSubstr("argument 0"));
}

TEST(EmitLauncherTest, ReportsFailedAssertWithMessage) {
  Plan plan = base_plan();
  plan.asserts = {{kN > 0, "n must be \"positive\".\n100% sure?"}, {ne(floordiv(10, kN), 5), "five"}};
  plan.steps = {launch_of(0)};
  const Compiled compiled(plan);
  Recorder recorder;
  EXPECT_EQ(compiled(recorder, 0), KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(recorder.error, plan.asserts[0].message);
  Recorder second;
  EXPECT_EQ(compiled(second, 2), KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(second.error, "five");
  Recorder third;
  EXPECT_EQ(compiled(third, 3), KMUX_OK);
}

TEST(EmitLauncherTest, RejectsOutOfBoundsFillBeforeFirstStep) {
  const Plan plan = filling_plan([](BodyBuilder body, const Expr& n, const Expr& s) { body.fill("A", n * 4 + s); });
  const Compiled compiled(plan);
  Recorder whole;
  EXPECT_EQ(compiled(whole, 1024, 0), KMUX_OK);
  EXPECT_THAT(whole.calls, ElementsAre("launch 0 x1", "fill 4096 of 0"));
  Recorder larger;
  EXPECT_EQ(compiled(larger, 1024, 64), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(larger.calls, IsEmpty());
  EXPECT_EQ(larger.error, "fill of \"A\" writes 4160 bytes (the buffer has 4096). Fill at most the buffer.");
  Recorder negative;
  EXPECT_EQ(compiled(negative, 1, 0xfffffff8), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(negative.calls, IsEmpty());
  EXPECT_EQ(negative.error, "fill of \"A\" writes -4 bytes (the buffer has 4). Fill at most the buffer.");
  Recorder overflow;
  EXPECT_EQ(compiled(overflow, std::int64_t{1} << 62, 0), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(overflow.calls, IsEmpty());
  EXPECT_EQ(overflow.error,
            "cannot evaluate bounds of fill of \"A\" = \"n * 4 + s <= n * 4 and n * 4 + s >= 0\" (the value does not "
            "fit into 64 bits). Pass arguments for which it has a value.");
}

TEST(EmitLauncherTest, ChecksFillInLoopOrGuardAtItsStep) {
  const Plan plan = filling_plan([](BodyBuilder body, const Expr& n, const Expr& s) {
    body.when(s > 4, [&](BodyBuilder& then) { then.fill("A", n * 1024); });
    body.loop("i", 1, s, [](BodyBuilder& inner, const Expr& i) { inner.fill("A", i * 8, 1); });
  });
  const Compiled compiled(plan);
  Recorder third;
  EXPECT_EQ(compiled(third, 4, 4), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(third.calls, ElementsAre("launch 0 x1", "fill 8 of 1", "fill 16 of 1"));
  EXPECT_EQ(third.error, "fill of \"A\" writes 24 bytes (the buffer has 16). Fill at most the buffer.");
  Recorder guarded;
  EXPECT_EQ(compiled(guarded, 4, 5), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(guarded.calls, ElementsAre("launch 0 x1"));
  EXPECT_EQ(guarded.error, "fill of \"A\" writes 4096 bytes (the buffer has 16). Fill at most the buffer.");
}

Plan plan_with_workspaces() {
  Plan plan = base_plan();
  plan.workspaces = {{"first", kN * 4, 64}, {"second", 16, 256}};
  plan.steps = {launch_of(0, 1, {PlanAddress{PlanAddress::Source::kWorkspace, 1, 8}})};
  return plan;
}

TEST(EmitLauncherTest, FreesWorkspacesInReverseOrder) {
  Recorder recorder;
  EXPECT_EQ(Compiled(plan_with_workspaces())(recorder, 5), KMUX_OK);
  EXPECT_THAT(recorder.calls,
              ElementsAre("allocate 20 at 64", "allocate 16 at 256", "launch 0 x1", "free 1", "free 0"));
}

TEST(EmitLauncherTest, FreesWorkspacesWhenLaunchFails) {
  Recorder recorder;
  recorder.fail_at = "launch 0 x1";
  EXPECT_EQ(Compiled(plan_with_workspaces())(recorder, 5), KMUX_LAUNCH_FAILED);
  EXPECT_THAT(recorder.calls,
              ElementsAre("allocate 20 at 64", "allocate 16 at 256", "launch 0 x1", "free 1", "free 0"));
}

TEST(EmitLauncherTest, FreesWorkspacesWhenNextAllocationFails) {
  Recorder recorder;
  recorder.fail_at = "allocate 16 at 256";
  EXPECT_EQ(Compiled(plan_with_workspaces())(recorder, 5), KMUX_LAUNCH_FAILED);
  EXPECT_THAT(recorder.calls, ElementsAre("allocate 20 at 64", "allocate 16 at 256", "free 0"));
  EXPECT_EQ(recorder.error,
            "cannot allocate workspace \"second\" (16 bytes on device 3). Free memory or pass smaller tensors.");
}

TEST(EmitLauncherTest, FreesWorkspacesWhenArithmeticFails) {
  Plan plan = plan_with_workspaces();
  plan.steps = {launch_of(0, floordiv(8, kN - 5))};
  Recorder recorder;
  EXPECT_EQ(Compiled(plan)(recorder, 5), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(recorder.calls, ElementsAre("allocate 20 at 64", "allocate 16 at 256", "free 1", "free 0"));
}

TEST(EmitLauncherTest, AlignsWorkspacesBeyondAllocatorAlignment) {
  for (const std::int64_t alignment : {1, 16, 256, 512, 4096, 65536}) {
    Recorder recorder;
    EXPECT_EQ(Compiled(plan_with_alignment(alignment))(recorder, 20), KMUX_OK);
    const std::int64_t granted = std::min<std::int64_t>(alignment, 256);
    const std::string wanted =
        "allocate " + std::to_string(20 + alignment - granted) + " at " + std::to_string(granted);
    EXPECT_THAT(recorder.calls, ElementsAre(wanted, "launch 0 x1", "free 0"));
    recorder.expect_aligned(alignment);
  }
}

TEST(EmitLauncherTest, RejectsWorkspaceSizeOverflow) {
  Recorder recorder;
  EXPECT_EQ(Compiled(plan_with_alignment(512))(recorder, INT64_MAX), KMUX_UNAVAILABLE);
  EXPECT_THAT(recorder.calls, IsEmpty());
  EXPECT_EQ(recorder.error,
            "cannot allocate workspace \"w\" (9223372036854775807 bytes on device 3). Free memory or pass smaller "
            "tensors.");
}

TEST(EmitLauncherTest, DoesNotAllocateEmptyWorkspace) {
  Recorder recorder;
  EXPECT_EQ(Compiled(plan_with_workspaces())(recorder, 0), KMUX_OK);
  EXPECT_THAT(recorder.calls, ElementsAre("allocate 16 at 256", "launch 0 x1", "free 0"));
}

TEST(EmitLauncherTest, ExecutesOneBranch) {
  Plan plan = base_plan();
  plan.steps = {PlanIf{kN > 3, {launch_of(0)}, {launch_of(1)}}, PlanIf{eq(floormod(7, kN), 0), {launch_of(0)}, {}}};
  const Compiled compiled(plan);
  Recorder large;
  EXPECT_EQ(compiled(large, 7), KMUX_OK);
  EXPECT_THAT(large.calls, ElementsAre("launch 0 x1", "launch 0 x1"));
  Recorder small;
  EXPECT_EQ(compiled(small, 2), KMUX_OK);
  EXPECT_THAT(small.calls, ElementsAre("launch 1 x1"));
  Recorder zero;
  EXPECT_EQ(compiled(zero, 0), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(zero.error, HasSubstr("condition = \"floormod(7, n) == 0\""));
}

TEST(EmitLauncherTest, IteratesNestedLoops) {
  Plan plan = base_plan();
  const Expr i = Expr::symbol("i");
  const Expr j = Expr::symbol("j");
  plan.steps = {PlanFor{"i", kN - 2, kN * 2, {PlanFor{"j", 0, i, {launch_of(0, i * 10 + j)}}}}};
  const Compiled compiled(plan);
  Recorder recorder;
  EXPECT_EQ(compiled(recorder, 2), KMUX_OK);
  EXPECT_THAT(recorder.calls, ElementsAre("launch 0 x10", "launch 0 x20", "launch 0 x21", "launch 0 x30",
                                          "launch 0 x31", "launch 0 x32"));
  Recorder none;
  EXPECT_EQ(compiled(none, -3), KMUX_OK);
  EXPECT_THAT(none.calls, IsEmpty());
}

TEST(EmitLauncherTest, ReportsInvalidLoopBound) {
  Plan plan = base_plan();
  plan.steps = {PlanFor{"i", floordiv(1, kN), 4, {launch_of(0)}}};
  Recorder recorder;
  EXPECT_EQ(Compiled(plan)(recorder, 0), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(recorder.error, HasSubstr("begin of loop \"i\""));
}

TEST(EmitLauncherTest, EncodesTensorMapsBeforeLaunch) {
  Plan plan = base_plan();
  TensorMap tiled{.name = "A_map", .dtype = TensorMapDType::kBFloat16, .dims = {64, kN}, .strides_bytes = {128}};
  tiled.mode = TiledMap{{32, 8}};
  tiled.swizzle = Swizzle::k64B;
  TensorMap im2col = tiled;
  im2col.name = "X_map";
  im2col.mode = Im2colMap{{-1}, {1}, 64, 128};
  plan.maps = {{tiled, PlanAddress{PlanAddress::Source::kSlot, 0, 16}}, {im2col, PlanAddress{}}};
  plan.steps = {launch_of(0, 1, {PlanMapArg{0}, PlanMapArg{1}})};
  const Compiled compiled(plan);
  Recorder recorder;
  EXPECT_EQ(compiled(recorder, 9), KMUX_OK);
  EXPECT_THAT(recorder.calls, ElementsAre("tiled A_map 32", "im2col X_map -1 64 128", "launch 0 x1"));
  EXPECT_EQ(recorder.map.base, Compiled::data() + 16);
  EXPECT_EQ(recorder.map.dtype, 9u);
  EXPECT_EQ(recorder.map.swizzle, 2u);
  EXPECT_THAT(recorder.dims, ElementsAre(64, 9));
  Recorder negative;
  EXPECT_EQ(compiled(negative, -1), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(negative.error, HasSubstr("dim 1 of tensor map \"A_map\" = \"n\""));
}

TEST(EmitLauncherTest, PassesAllLaunchAttributes) {
  Plan plan = base_plan();
  PlanLaunch launch = launch_of(1, kN);
  launch.cluster = {2, 1, 1};
  launch.dynamic_smem_bytes = kN * 8;
  launch.cooperative = true;
  launch.programmatic_serialization = true;
  launch.l2_windows = {{{}, kN * 4, 0.25}, {{PlanAddress::Source::kSlot, 0, 0}, 64, 1}};
  plan.steps = {launch};
  Recorder recorder;
  EXPECT_EQ(Compiled(plan)(recorder, 6), KMUX_OK);
  EXPECT_THAT(recorder.last.grid, ElementsAre(6, 1, 1));
  EXPECT_THAT(recorder.last.block, ElementsAre(32, 1, 1));
  EXPECT_THAT(recorder.last.cluster, ElementsAre(2, 1, 1));
  EXPECT_EQ(recorder.last.dynamic_smem_bytes, 48u);
  EXPECT_EQ(recorder.last.flags, unsigned{kmux_cooperative | kmux_programmatic_serialization});
  EXPECT_EQ(recorder.last.window_count, 2u);
}

struct ScalarCase {
  DType type;
  std::uint64_t bits;
  std::int64_t value;
};

TEST(EmitLauncherTest, ReadsScalarsByWidthAndSign) {
  const std::vector<ScalarCase> cases = {
      {dtype::kInt8, 0xff, -1},
      {dtype::kUInt8, 0xff, 255},
      {dtype::kInt16, 0x8000, -32768},
      {dtype::kUInt16, 0x8000, 32768},
      {dtype::kInt32, 0xffffffff, -1},
      {dtype::kUInt32, 0xffffffff, 4294967295},
      {dtype::kInt64, ~std::uint64_t{0}, -1},
      {dtype::kBool, 1, 1},
      {dtype::kUInt64, 5, 5},
  };
  for (const ScalarCase& test : cases) {
    Plan plan = base_plan(test.type);
    plan.bindings = {{"s", 1, test.type}};
    plan.steps = {launch_of(0, 1, {PlanValue{Expr::symbol("s"), dtype::kInt64}})};
    Recorder recorder;
    EXPECT_EQ(Compiled(plan)(recorder, 0, test.bits), KMUX_OK);
    EXPECT_THAT(recorder.argument_bits, ElementsAre(static_cast<std::uint64_t>(test.value))) << to_string(test.type);
  }
}

TEST(EmitLauncherTest, RejectsUnsignedScalarOutOfInt64Range) {
  Plan plan = base_plan(dtype::kUInt64);
  plan.bindings = {{"s", 1, dtype::kUInt64}};
  plan.steps = {launch_of(0, Expr::symbol("s"))};
  Recorder recorder;
  EXPECT_EQ(Compiled(plan)(recorder, 0, ~std::uint64_t{0}), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(recorder.error, HasSubstr("scalar \"s\""));
}

TEST(EmitLauncherTest, PassesFloatsByValue) {
  Plan plan = base_plan(dtype::kFloat64);
  plan.steps = {launch_of(0, 1, {PlanScalar{1, dtype::kFloat64}})};
  Recorder recorder;
  const double value = -0.1;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  EXPECT_EQ(Compiled(plan)(recorder, 0, bits), KMUX_OK);
  EXPECT_THAT(recorder.argument_bits, ElementsAre(bits));
}

}  // namespace
}  // namespace kmux
