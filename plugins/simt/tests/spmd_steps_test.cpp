// The passes from a kernel for one thread to a function for a warp, each on LLVM IR as text.
#include "spmd_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spmd/branches.h"
#include "spmd/steps.h"
#include "spmd/thread_calls.h"

namespace kmux::cpu::spmd {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kIndices =
    "define void @k(ptr %x, i32 %n) {\n"
    "  %lane = call i32 @\"kmux.lane\"()\n  %block = call i32 @\"kmux.block.x\"()\n"
    "  %first = shl i32 %block, 8\n  %i = add i32 %first, %lane\n  %wide = sext i32 %i to i64\n"
    "  %twice = mul i32 %i, 2\n  %square = mul i32 %i, %i\n"
    "  %address = getelementptr float, ptr %x, i64 %wide\n  %same = add i32 %first, %n\n"
    "  %other = add i32 %n, %lane\n  %far = sext i32 %other to i64\n"
    "  %not = xor i32 %i, -1\n  %low = and i32 %i, 127\n  %part = and i32 %i, 15\n  %high = lshr i32 %i, 5\n"
    "  %middle = lshr i32 %i, 4\n  %sum = add nsw i32 %n, %lane\n  %frozen = freeze i32 %sum\n  %both = and i32 %high, "
    "%lane\n  %far2 = sext i32 "
    "%frozen to i64\n"
    "  %loaded = load float, ptr %address\n  ret void\n}\n";

TEST(SpmdStepsTest, ClassifiesLaneValues) {
  Steps steps(kIndices);
  EXPECT_EQ(steps.lane_value("same").kind, LaneValue::Kind::kUniform);
  EXPECT_EQ(steps.lane_value("i").stride, 1);
  EXPECT_EQ(steps.lane_value("twice").stride, 2);
  EXPECT_EQ(steps.lane_value("wide").stride, 1);  // no carry: lane 0 is a multiple of 256
  EXPECT_EQ(steps.lane_value("address").stride, 4);
  EXPECT_EQ(steps.lane_value("not").stride, -1);
  EXPECT_EQ(steps.lane_value("low").stride, 1);
  EXPECT_EQ(steps.lane_value("high").kind, LaneValue::Kind::kStrided);
  EXPECT_EQ(steps.lane_value("high").stride, 0);
  EXPECT_EQ(steps.lane_value("frozen").stride, 1);
  for (const char* name : {"part", "middle", "far2", "both"})
    EXPECT_EQ(steps.lane_value(name).kind, LaneValue::Kind::kVarying) << name;
  EXPECT_EQ(steps.lane_value("square").kind, LaneValue::Kind::kVarying);
  EXPECT_EQ(steps.lane_value("far").kind, LaneValue::Kind::kVarying);  // n + lane may wrap around
  EXPECT_EQ(steps.lane_value("loaded").kind, LaneValue::Kind::kVarying);
}

TEST(SpmdStepsTest, ContiguousLoadsBecomeVectorLoads) {
  Steps steps(kIndices);
  auto warp = widen(steps.kernel(), 32, 1, steps.functions);
  ASSERT_TRUE(warp.ok()) << warp.error().explain();
  const std::string text = text_of(**warp);
  EXPECT_THAT(text, HasSubstr("load <32 x float>"));
  EXPECT_THAT(text, Not(HasSubstr("gather")));
}

// Lane 0 runs where all lanes do; otherwise facts about the running lanes may not hold for it.
TEST(SpmdStepsTest, NswFlagsAreKeptOnlyWhenAllLanesRun) {
  const std::string begin =
      "define void @k(ptr %x, i32 %n, i32 %m) {\nentry:\n  %lane = call i32 @\"kmux.lane\"()\n"
      "  %are_few = icmp slt i32 %lane, %m\n  br i1 %are_few, label %run, label %end\nrun:\n";
  const std::string index =
      "  %i = add nsw i32 %n, %lane\n  %wide = sext i32 %i to i64\n"
      "  %place = getelementptr inbounds i32, ptr %x, i64 %wide\n  store i32 %n, ptr %place\n";
  Steps masked(begin + index + "  br label %end\nend:\n  ret void\n}\n");
  Steps whole("define void @k(ptr %x, i32 %n) {\n  %lane = call i32 @\"kmux.lane\"()\n" + index + "  ret void\n}\n");
  auto some = widen(masked.kernel(), 32, 1, masked.functions);
  auto all = widen(whole.kernel(), 32, 1, whole.functions);
  ASSERT_TRUE(some.ok() && all.ok());
  EXPECT_THAT(text_of(**some), Not(HasSubstr("add nsw")));
  EXPECT_THAT(text_of(**all), HasSubstr("add nsw"));
}

TEST(SpmdStepsTest, ScalesAreVectorizedAcrossLanes) {
  Steps steps(
      "declare float @\"kmux.scale.float\"(float, float) nounwind willreturn memory(none)\n"
      "define void @k(ptr %x, float %n) {\n  %lane = call i32 @\"kmux.lane\"()\n  %wide = zext i32 %lane to i64\n"
      "  %place = getelementptr float, ptr %x, i64 %wide\n  %v = load float, ptr %place\n"
      "  %s = call float @\"kmux.scale.float\"(float %v, float %n)\n  %one = call float @\"kmux.scale.float\"(float "
      "%n, float %n)\n"
      "  %t = fadd float %s, %one\n  store float %t, ptr %place\n  ret void\n}\n");
  auto warp = widen(steps.kernel(), 32, 1, steps.functions);
  ASSERT_TRUE(warp.ok()) << warp.error().explain();
  const std::string text = text_of(**warp);
  EXPECT_THAT(text, HasSubstr("call <32 x float> @kmux.scale.float.x32(<32 x float> "));
  EXPECT_THAT(text, HasSubstr("call float @kmux.scale.float(float %1"));  // uniform across lanes
}

TEST(SpmdStepsTest, StructsAreStoredPerLane) {
  Steps steps(
      "define void @k(ptr %x) {\n"
      "  %lane = call i32 @\"kmux.lane\"()\n  %wide = zext nneg i32 %lane to i64\n  %square = mul i32 %lane, %lane\n"
      "  %half = insertvalue { i32, i32 } poison, i32 %square, 0\n"
      "  %record = insertvalue { i32, i32 } %half, i32 %lane, 1\n"
      "  %address = getelementptr { i32, i32 }, ptr %x, i64 %wide\n"
      "  store { i32, i32 } %record, ptr %address\n  ret void\n}\n");
  auto warp = widen(steps.kernel(), 32, 1, steps.functions);
  ASSERT_TRUE(warp.ok()) << warp.error().explain();
  EXPECT_THAT(text_of(**warp), HasSubstr("store { i32, i32 }"));
}

// The first lane has the least index, so it decides whether any lane is below.
TEST(SpmdStepsTest, FirstLaneDecidesLessThanBranch) {
  Steps steps(
      "define void @k(ptr %x, i32 %n) {\nentry:\n  %lane = call i32 @\"kmux.lane\"()\n"
      "  %block = call i32 @\"kmux.block.x\"()\n  %first = shl i32 %block, 8\n  %i = add i32 %first, %lane\n"
      "  %is_less = icmp slt i32 %i, %n\n  br i1 %is_less, label %run, label %end\nrun:\n"
      "  store i32 %lane, ptr %x\n  br label %end\nend:\n  ret void\n}\n");
  auto warp = widen(steps.kernel(), 32, 1, steps.functions);
  ASSERT_TRUE(warp.ok()) << warp.error().explain();
  EXPECT_THAT(text_of(**warp), HasSubstr("icmp sge i32 "));
}

// The vectorized form of a sum that strides over the grid.
constexpr const char* kStrides =
    "declare i32 @\"kmux.grid_dim.x\"() nounwind willreturn memory(none)\n"
    "define void @k(ptr %x, i32 %n, i32 %other) {\nentry:\n  %blocks = call i32 @\"kmux.grid_dim.x\"()\n"
    "  %step = shl i32 %blocks, 8\n  %block = call i32 @\"kmux.block.x\"()\n  %first = shl i32 %block, 8\n"
    "  br label %loop\nloop:\n  %i = phi i32 [ %first, %entry ], [ %next, %loop ]\n"
    "  %sum = phi <32 x float> [ zeroinitializer, %entry ], [ %more, %loop ]\n  %wide = sext i32 %i to i64\n"
    "  %place = getelementptr float, ptr %x, i64 %wide\n  %v = load <32 x float>, ptr %place\n"
    "  %more = fadd <32 x float> %sum, %v\n  %next = add i32 %i, STEP\n  %again = icmp slt i32 %next, %n\n"
    "  br i1 %again, label %loop, label %end\nend:\n  store <32 x float> %more, ptr %x\n  ret void\n}\n";

std::string striding_by(const std::string& step) {
  std::string text = kStrides;
  text.replace(text.find("STEP"), 4, step);
  return text;
}

TEST(SpmdStepsTest, PrefetchesFarGridStrideLoops) {
  Steps steps(striding_by("%step"));
  add_prefetches(steps.kernel(), {BlockShape::Order::kRows, 32, 8, KnownExtents{512, 1, 1}});
  const std::string text = text_of(steps.kernel());
  EXPECT_THAT(text, HasSubstr("loop.far:"));
  EXPECT_THAT(text, HasSubstr("llvm.prefetch"));
  EXPECT_THAT(text, HasSubstr("mul i32 %step, 16"));
  EXPECT_THAT(text, HasSubstr("phi <32 x float> [ %more, %loop ], [ %more.far, %loop.far ]"));  // the sum of either
}

std::string with_prefetches(const std::string& kernel) {
  Steps steps("declare ptr @\"kmux.shared\"(i64) nounwind willreturn memory(none)\n" + kernel);
  add_prefetches(steps.kernel(), {BlockShape::Order::kRows, 32, 8, KnownExtents{256, 1, 1}});
  return text_of(steps.kernel());
}

TEST(SpmdStepsTest, BlocksTakeTurnsInIndependentLoops) {
  const std::string kernel = striding_by("%step");
  const auto before_loop = [&](const std::string& line) {
    std::string text = kernel;
    return with_prefetches(text.insert(text.find("  br label %loop"), line));
  };
  const std::string shared = "  %shared = call ptr @\"kmux.shared\"(i64 0)\n";
  const std::string turning = with_prefetches(kernel);
  EXPECT_THAT(turning, HasSubstr("call void @kmux.turn()"));
  EXPECT_THAT(turning, HasSubstr("mul i32 %step, 8"));
  EXPECT_THAT(before_loop("  store i32 %n, ptr %x\n"), HasSubstr("kmux.turn"));
  EXPECT_THAT(before_loop(shared + "  store i32 %n, ptr %shared\n"), Not(HasSubstr("kmux.turn")));
  EXPECT_THAT(before_loop("  call void @\"kmux.barrier\"()\n"), Not(HasSubstr("kmux.turn")));
  EXPECT_THAT(before_loop("  %a = atomicrmw add ptr %x, i32 1 monotonic\n"), Not(HasSubstr("kmux.turn")));
}

TEST(SpmdStepsTest, OtherLoopsAreNotPrefetched) {
  for (const char* const step : {"256", "%other"}) {
    Steps steps(striding_by(step));
    const std::string before = text_of(steps.kernel());
    add_prefetches(steps.kernel(), {BlockShape::Order::kRows, 32, 8, KnownExtents{256, 1, 1}});
    EXPECT_EQ(text_of(steps.kernel()), before);
  }
}

/// Returns true if blocks of 16x16 whose warp contains `line` run by rows. Their first thread is number %first in its
/// row, its element at %place.
bool by_rows(const std::string& line, std::array<unsigned, 3> block = {16, 16, 1}) {
  Steps steps(
      "declare i32 @\"kmux.block_dim.x\"() nounwind willreturn memory(none)\n"
      "declare ptr @\"kmux.shared\"(i64) nounwind willreturn memory(none)\n"
      "define void @k(ptr %x, i32 %n) {\n  %block = call i32 @\"kmux.block.x\"()\n"
      "  %extent = call i32 @\"kmux.block_dim.x\"()\n  %first = mul i32 %block, %extent\n"
      "  %row = mul i32 %n, 3\n  %i = add i32 %row, %first\n  %wide = sext i32 %i to i64\n"
      "  %place = getelementptr float, ptr %x, i64 %wide\n  %before = getelementptr i8, ptr %place, i64 -4\n"
      "  %v = load <16 x float>, ptr %before\n  store <16 x float> %v, ptr %place\n" +
      line + "  ret void\n}\n");
  return goes_by_rows(steps.kernel(), {BlockShape::Order::kRows, 16, 1, block});
}

TEST(SpmdStepsTest, BlocksRunByRowsWhenMemoryIsRowOrdered) {
  const std::string far = "  %far = shl i32 %block, 8\n  %there = getelementptr float, ptr %x, i32 %far\n";
  EXPECT_TRUE(by_rows(""));
  EXPECT_TRUE(by_rows("", {48, 4, 2}));
  EXPECT_TRUE(by_rows("  %same = load <16 x float>, ptr %x\n"));  // common to all blocks
  EXPECT_TRUE(by_rows(far + "  %one = load float, ptr %there\n"));  // common to all lanes
  EXPECT_FALSE(by_rows("", {16, 1, 1}));
  EXPECT_FALSE(by_rows(far + "  %w = load <16 x float>, ptr %there\n"));  // a block's elements are contiguous
  EXPECT_FALSE(
      by_rows("  %odd = and i32 %block, 1\n  %there = getelementptr float, ptr %x, i32 %odd\n"
              "  store <16 x float> %v, ptr %there\n"));
  EXPECT_FALSE(by_rows("  %a = atomicrmw add ptr %x, i32 1 monotonic\n"));
  EXPECT_FALSE(by_rows("  %shared = call ptr @\"kmux.shared\"(i64 0)\n  store <16 x float> %v, ptr %shared\n"));
  EXPECT_FALSE(by_rows("  call void @\"kmux.barrier\"()\n"));
  EXPECT_FALSE(
      by_rows("  br label %loop\nloop:\n  %again = icmp slt i32 %i, %n\n  br i1 %again, label %loop, label %end\n"
              "end:\n"));
}

TEST(SpmdStepsTest, RowLoopEnclosesBlockLoop) {
  Steps steps(
      "declare i32 @\"kmux.thread.y\"() nounwind willreturn memory(none)\n"
      "define void @k(ptr %x, i32 %n) {\n  %t = call i32 @\"kmux.thread.x\"()\n  %y = call i32 @\"kmux.thread.y\"()\n"
      "  %block = call i32 @\"kmux.block.x\"()\n  %first = shl i32 %block, 4\n  %row = mul i32 %y, %n\n"
      "  %in_row = add nsw i32 %first, %t\n  %i = add nsw i32 %row, %in_row\n  %p = getelementptr i32, ptr %x, i32 %i\n"
      "  store i32 %n, ptr %p\n  ret void\n}\n");
  BlockExtents kernels;
  kernels["k"] = KnownExtents{16, 8, 1};
  const auto lowered = lower_kernels(*steps.module, kernels, {});
  ASSERT_TRUE(lowered.ok()) << lowered.error().explain();
  const std::string text = text_of(*steps.module->getFunction("k.blocks"));
  EXPECT_THAT(text, HasSubstr("i64 1024)"));  // as many blocks as form a row of 16384 threads
  EXPECT_LT(text.find("\nrow:"), text.find("\nacross:"));
  EXPECT_LT(text.find("\nacross:"), text.find("\nwarp:"));
}

constexpr const char* kBranches =
    "define void @k(ptr %x, i32 %n) {\nentry:\n  %lane = call i32 @\"kmux.lane\"()\n"
    "  %odd = and i32 %lane, 1\n  %is_odd = icmp ne i32 %odd, 0\n  %many = icmp sgt i32 %n, 5\n"
    "  br i1 %many, label %uniform, label %end\n"
    "uniform:\n  br i1 %is_odd, label %parted, label %end\n"
    "parted:\n  %v = load i32, ptr %x\n  %s = add i32 %v, %lane\n  store i32 %s, ptr %x\n  br label %end\n"
    "end:\n  ret void\n}\n";

TEST(SpmdStepsTest, OnlyDivergentBranchesAreSplits) {
  Steps steps(kBranches);
  structure(steps.kernel(), steps.functions, false);
  const auto branches = Branches::find(steps.kernel(), steps.uniformity());
  ASSERT_TRUE(branches.ok()) << branches.error().explain();
  EXPECT_EQ(branches->splits().size(), 1U);
}

TEST(SpmdStepsTest, DivergentRegionsRunMasked) {
  Steps steps(kBranches);
  structure(steps.kernel(), steps.functions, false);
  auto warp = widen(steps.kernel(), 32, 1, steps.functions);
  ASSERT_TRUE(warp.ok()) << warp.error().explain();
  const std::string text = text_of(**warp);
  EXPECT_THAT(text, HasSubstr("bitcast <32 x i1>"));  // true if any lane has the condition
  EXPECT_THAT(text, HasSubstr("llvm.ctlz"));  // the last lane with the condition stores
}

TEST(SpmdStepsTest, MemoryRegionsGetFullMaskCopy) {
  Steps steps(kBranches);
  structure(steps.kernel(), steps.functions, false);
  EXPECT_TRUE(add_fast_paths(steps.kernel(), steps.functions).ok());
  EXPECT_THAT(text_of(steps.kernel()), HasSubstr("kmux.all"));
}

constexpr const char* kLoop =
    "define void @k(ptr %x, i32 %n) {\nentry:\n  %lane = call i32 @\"kmux.lane\"()\n  br label %loop\n"
    "loop:\n  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n  %tripled = mul i32 %i, 3\n"
    "  %next = add i32 %tripled, 1\n  %again = icmp ult i32 %next, %lane\n  br i1 %again, label %loop, label %end\n"
    "end:\n  %last = phi i32 [ %i, %loop ]\n  store i32 %last, ptr %x\n  ret void\n}\n";

TEST(SpmdStepsTest, DivergentLoopsKeepLastLaneValues) {
  Steps steps(kLoop);
  structure(steps.kernel(), steps.functions, false);
  auto warp = widen(steps.kernel(), 8, 1, steps.functions);
  ASSERT_TRUE(warp.ok()) << warp.error().explain();
  const std::string text = text_of(**warp);
  EXPECT_THAT(text, HasSubstr("%mask = phi <8 x i1>"));
  EXPECT_THAT(text, HasSubstr("select <8 x i1>"));
}

TEST(SpmdStepsTest, UnsupportedScattersReduceLockstepWarps) {
  const auto in_step = [](const std::string& features, const std::string& stride) {
    std::string text = "define void @k(ptr %x) {\n  %i = call i32 @\"kmux.lane\"()\n  %w = zext i32 %i to i64\n";
    text += "  %o = mul i64 %w, " + stride + "\n  %q = getelementptr i32, ptr %x, i64 %o\n  br label %l\nl:\n";
    for (int access = 0; access < 4; ++access) text += "  store volatile i32 %i, ptr %q\n";
    Steps steps(text + "  br label %l\n}\n");
    steps.kernel().addFnAttr("target-features", features);
    return warps_in_step(steps.kernel(), BlockShape::of({{256, 1, 1}}, 0), steps.functions).value();
  };
  const std::vector warps = {in_step("+avx512f", "4"), in_step("+avx2", "1"), in_step("+avx2", "4")};
  EXPECT_THAT(warps, testing::ElementsAre(8, 8, 4));
}

TEST(SpmdStepsTest, ExpandsSaturatingCasts) {
  Steps steps(
      "declare i32 @llvm.fptosi.sat.i32.f32(float)\ndeclare i64 @llvm.fptoui.sat.i64.f64(double)\n"
      "define void @k(ptr %x, float %f, double %d) {\n  %i = call i32 @llvm.fptosi.sat.i32.f32(float %f)\n"
      "  %u = call i64 @llvm.fptoui.sat.i64.f64(double %d)\n  store i32 %i, ptr %x\n  store i64 %u, ptr %x\n"
      "  ret void\n}\n");
  expand_casts(steps.kernel());
  const std::string text = text_of(steps.kernel());
  EXPECT_THAT(text, Not(HasSubstr("call")));
  EXPECT_THAT(text, HasSubstr("fptosi float %f to i32"));
  EXPECT_THAT(text, HasSubstr("fptoui double %d to i64"));
}

// Returns a vector of a thread, as %v, that `use` needs; it depends on the lane.
std::string vectors(const std::string& use) {
  return "declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)\n"
         "define void @k(ptr %x, i32 %n) {\n  %lane = call i32 @\"kmux.thread.x\"()\n"
         "  %a = insertelement <4 x i32> zeroinitializer, i32 %lane, i64 1\n"
         "  %v = add <4 x i32> %a, <i32 1, i32 2, i32 3, i32 4>\n  %at = getelementptr i64, ptr %x, i32 %lane\n" +
         use + "  ret void\n}\n";
}

TEST(SpmdStepsTest, ScalarizesPerThreadVectors) {
  for (const char* const use :
       {"  store <4 x i32> %v, ptr %at\n", "  %b = bitcast <4 x i32> %v to i128\n  store i128 %b, ptr %at\n",
        "  %b = bitcast <4 x i32> %v to <8 x half>\n  %h = extractelement <8 x half> %b, i64 2\n  store half %h, ptr "
        "%at\n",
        "  %t = trunc <4 x i32> %v to <4 x i8>\n  %b = bitcast <4 x i8> %t to float\n  store float %b, ptr %at\n",
        "  %i = and i32 %n, 3\n  %e = extractelement <4 x i32> %v, i32 %i\n  store i32 %e, ptr %at\n"}) {
    Steps steps(vectors(use));
    const auto lowered = lower_kernels(*steps.module, {{"k", KnownExtents{64, 1, 1}}}, {});
    ASSERT_TRUE(lowered.ok()) << use << lowered.error().explain();
    EXPECT_TRUE(lowered->empty()) << use << lowered->front().message;
    EXPECT_THAT(text_of(*steps.module->getFunction("k.blocks")), Not(HasSubstr("<4 x")));
  }
}

TEST(SpmdStepsTest, RemainingVectorsFallBackToFibers) {
  Steps steps(vectors("  %s = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)\n  store i32 %s, ptr %at\n"));
  const auto lowered = lower_kernels(*steps.module, {{"k", KnownExtents{64, 1, 1}}}, {});
  ASSERT_TRUE(lowered.ok()) << lowered.error().explain();
  ASSERT_EQ(lowered->size(), 1U);
  EXPECT_THAT(lowered->front().message, HasSubstr("has a thread work with whole vectors (<4 x i32>)"));
  EXPECT_THAT(text_of(steps.kernel()), HasSubstr("kmux_cpu_run_fibers"));
}

constexpr const char* kBarrier =
    "@s = internal global i32 0\n"
    "define void @k(ptr %x, i32 %n) {\nentry:\n  %t = call i32 @\"kmux.thread.x\"()\n"
    "  %first = getelementptr i32, ptr %x, i32 %t\n  %v = load i32, ptr %first\n"
    "  call void @\"kmux.barrier\"()\n"
    "  %other = xor i32 %t, 32\n  %second = getelementptr i32, ptr %x, i32 %other\n  store i32 %v, ptr %second\n"
    "  ret void\n}\n";

TEST(SpmdStepsTest, LockstepBarrierIsRemoved) {
  Steps steps(kBarrier);
  BlockExtents kernels;
  kernels["k"] = KnownExtents{64, 1, 1};
  const auto lowered = lower_kernels(*steps.module, kernels, {});
  ASSERT_TRUE(lowered.ok()) << lowered.error().explain();
  EXPECT_TRUE(lowered->empty());
  EXPECT_THAT(text_of(*steps.module->getFunction("k.blocks")), Not(HasSubstr("switch")));
  EXPECT_THAT(text_of(steps.kernel()), HasSubstr("kmux_cpu_run"));
}

std::string blocks_of(const char* kernel, const KnownExtents& extents) {
  Steps steps(kernel);
  BlockExtents kernels;
  kernels["k"] = extents;
  EXPECT_TRUE(lower_kernels(*steps.module, kernels, {}).ok());
  return text_of(*steps.module->getFunction("k.blocks"));
}

TEST(SpmdStepsTest, BarrierBecomesStateForUnknownBlock) {
  EXPECT_THAT(blocks_of(kBarrier, {}), HasSubstr("switch i32"));
}

TEST(SpmdStepsTest, SpillsLoopResultAfterLoop) {
  const std::string text = blocks_of(
      "define void @k(ptr %x, i32 %n) {\nentry:\n  %t = call i32 @\"kmux.thread.x\"()\n"
      "  %place = getelementptr float, ptr %x, i32 %t\n  br label %loop\nloop:\n"
      "  %i = phi i32 [0, %entry], [%next, %loop]\n  %sum = phi float [0.0, %entry], [%more, %loop]\n"
      "  %at = getelementptr float, ptr %x, i32 %i\n  %v = load float, ptr %at\n  %more = fadd float %sum, %v\n"
      "  %next = add i32 %i, 1\n  %end = icmp eq i32 %next, %n\n  br i1 %end, label %after, label %loop\nafter:\n"
      "  call void @\"kmux.barrier\"()\n  store float %more, ptr %place\n  ret void\n}\n",
      {});
  const std::size_t sum = text.find("fadd");
  ASSERT_NE(sum, std::string::npos);
  const std::size_t begin = text.rfind("\n\n", sum);
  EXPECT_THAT(text.substr(begin, text.find("\n\n", sum) - begin), Not(HasSubstr("store float")));
}

TEST(SpmdStepsTest, AlignsStackForSpilledVectors) {
  Steps steps(kBarrier);
  BlockExtents kernels;
  kernels["k"] = KnownExtents{64, 1, 1};
  ASSERT_TRUE(lower_kernels(*steps.module, kernels, {}).ok());
  EXPECT_TRUE(steps.module->getFunction("k.blocks")->hasFnAttribute("stackrealign"));
}

TEST(SpmdStepsTest, IndependentWarpLoopIsNotUnrolled) {
  constexpr const char* kMap =
      "define void @k(ptr %x, i32 %n) {\n  %t = call i32 @\"kmux.thread.x\"()\n"
      "  %p = getelementptr i32, ptr %x, i32 %t\n  store i32 %n, ptr %p\n  ret void\n}\n";
  EXPECT_THAT(blocks_of(kMap, KnownExtents{256, 1, 1}), HasSubstr("!llvm.loop"));
  EXPECT_THAT(blocks_of(kMap, KnownExtents{16, 1, 1}), Not(HasSubstr("!llvm.loop"))) << "of one warp";
  EXPECT_THAT(blocks_of(kBarrier, {}), Not(HasSubstr("!llvm.loop")));
}

TEST(SpmdStepsTest, RejectedKernelStaysUnchanged) {
  Steps steps("define void @k(ptr %x, i32 %n) {\n  call void asm sideeffect \"bar.sync 0;\", \"\"()\n  ret void\n}\n");
  BlockExtents kernels;
  kernels["k"] = KnownExtents{64, 1, 1};
  const std::string before = text_of(steps.kernel());
  const auto lowered = lower_kernels(*steps.module, kernels, {});
  ASSERT_FALSE(lowered.ok());
  EXPECT_EQ(lowered.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(text_of(steps.kernel()), before);
}

// The value that an unrolled loop leaves in v is a multiple of 4.
TEST(SpmdStepsTest, UnreachableInfiniteLoopDoesNotPreventWidening) {
  Steps steps(
      "define void @k(ptr %x, i32 %n) {\nentry:\n  %lane = call i32 @\"kmux.lane\"()\n"
      "  %is_less = icmp slt i32 %lane, %n\n  br i1 %is_less, label %loop, label %end\nloop:\n"
      "  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n  %v = phi i32 [ %n, %entry ], [ %twice, %loop ]\n"
      "  %twice = shl i32 %v, 1\n  %next = add i32 %i, 1\n  %again = icmp ult i32 %next, 2\n"
      "  br i1 %again, label %loop, label %then\nthen:\n  %low = and i32 %twice, 3\n"
      "  %never = icmp ne i32 %low, 0\n  br i1 %never, label %forever, label %store\nforever:\n"
      "  br label %forever\nstore:\n  store i32 %lane, ptr %x\n  br label %end\nend:\n  ret void\n}\n");
  structure(steps.kernel(), steps.functions, false);
  auto warp = widen(steps.kernel(), 32, 1, steps.functions);
  EXPECT_TRUE(warp.ok()) << warp.error().explain();
}

}  // namespace
}  // namespace kmux::cpu::spmd
