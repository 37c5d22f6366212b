// Loads and stores of lanes whose index may wrap around from one lane to the next (spmd/lane_memory.cpp).
#include <gmock/gmock.h>

#include "spmd/steps.h"
#include "spmd_steps.h"

namespace kmux::cpu::spmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string widened(const std::string& text) {
  Steps steps(text);
  auto warp = widen(steps.kernel(), 32, 1, steps.functions);
  EXPECT_TRUE(warp.ok()) << warp.error().explain();
  return text_of(**warp);
}

TEST(LaneMemoryTest, TestsIndicesThatMayWrapAround) {
  const std::string text = widened(
      "define void @k(ptr %x, ptr %y, i32 %n) {\n  %lane = call i32 @\"kmux.lane\"()\n  %u = add i32 %n, %lane\n"
      "  %wide = zext i32 %u to i64\n  %signed = sext i32 %u to i64\n  %sum = add i64 %signed, 5\n"
      "  %from = getelementptr float, ptr %x, i64 %wide\n  %to = getelementptr float, ptr %y, i64 %sum\n"
      "  %v = load float, ptr %from\n  store float %v, ptr %to\n  ret void\n}\n");
  EXPECT_THAT(text, HasSubstr("icmp ule i32 %4, -32\n"));  // lane 0's: adding 31 gives 2^32 - 1 at most
  EXPECT_THAT(text, HasSubstr("icmp sle i32 %4, 2147483616\n"));
  for (const char* either : {"load <32 x float>", "@llvm.masked.gather", "store <32 x float>", "@llvm.masked.scatter"})
    EXPECT_THAT(text, HasSubstr(either));
}

// Returns a store of a number at a stride of that many bytes, at an 8-bit index.
std::string stored(const std::string& type, const std::string& bytes) {
  return widened(
      "define void @k(ptr %x, i8 %n, " + type +
      " %v) {\n  %lane = call i32 @\"kmux.lane\"()\n  %byte = trunc i32 %lane to i8\n  %times = mul i8 %byte, " +
      bytes + "\n  %u = add i8 %times, %n\n  %wide = zext i8 %u to i64\n" +
      "  %at = getelementptr i8, ptr %x, i64 %wide\n  store " + type + " %v, ptr %at\n  ret void\n}\n");
}

TEST(LaneMemoryTest, SkipsTestOfIndicesWrappingInEachWarp) {
  EXPECT_THAT(stored("float", "4"), HasSubstr("icmp ule i8"));
  EXPECT_THAT(stored("double", "8"), Not(HasSubstr("icmp")));  // 31 times 8
  EXPECT_THAT(stored("float", "8"), Not(HasSubstr("icmp")));  // elements of a vector are not contiguous
  EXPECT_THAT(stored("float", "-4"), HasSubstr("icmp uge i8"));
  EXPECT_THAT(stored("float", "-8"), Not(HasSubstr("icmp")));
}

// Returns a kernel whose thread has an address `p` at that distance in bytes from the next one's, followed by `then`.
std::string records(int bytes, const std::string& then) {
  return widened(
      "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\ndeclare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"
      "define void @k(ptr %x, ptr %y, float %f) {\n  %lane = call i32 @\"kmux.lane\"()\n  %wide = zext i32 %lane to "
      "i64\n"
      "  %p = getelementptr [" +
      std::to_string(bytes) + " x i8], ptr %x, i64 %wide\n  %q = getelementptr [" + std::to_string(bytes) +
      " x i8], ptr %y, i64 %wide\n  %p4 = getelementptr i8, ptr %p, i64 4\n  %q4 = getelementptr i8, ptr %q, i64 4\n" +
      then + "  ret void\n}\n");
}

constexpr const char* kReadTwo = "  %b = load float, ptr %p4\n  %a = load float, ptr %p\n";

TEST(LaneMemoryTest, ReadsAndWritesRecordsWhole) {
  const std::string text = records(8, std::string(kReadTwo) + "  store float %a, ptr %q4\n  store float %b, ptr %q\n");
  EXPECT_THAT(text, AllOf(HasSubstr("load <64 x float>"), HasSubstr("store <64 x float>")));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("gather")), Not(HasSubstr("scatter"))));
}

TEST(LaneMemoryTest, DoesNotCombinePartialRecords) {
  EXPECT_THAT(records(16, kReadTwo), HasSubstr("gather"));
  EXPECT_THAT(records(8, "  store float %f, ptr %q4\n"), HasSubstr("scatter"));
  EXPECT_THAT(records(8, "  store float %f, ptr %q\n  store float %f, ptr %q4\n  store float 0.0, ptr %q\n"),
              HasSubstr("scatter"));
}

// Records that are combined into one access even on a processor that masks elements at no cost.
TEST(LaneMemoryTest, MasksPartialRecordStores) {
  const std::string kernel =
      "define void @k(ptr %x, float %f) \"target-features\"=\"+avx512f\" {\n  %lane = call i32 @\"kmux.lane\"()\n"
      "  %wide = zext i32 %lane to i64\n  %p = getelementptr [16 x i8], ptr %x, i64 %wide\n"
      "  %p8 = getelementptr i8, ptr %p, i64 8\n  store float %f, ptr %p8\n  store float %f, ptr %p\n  ret void\n}\n";
  EXPECT_THAT(widened(kernel), HasSubstr("@llvm.masked.store.v128f32.p0(<128 x float> "));
  EXPECT_THAT(widened(kernel), HasSubstr("<128 x i1> <i1 true, i1 false, i1 true, i1 false, i1 true,"));
}

// Returns the text for a load of a float at the index `i`, which `then` computes from `u`, a progression.
std::string loaded(const std::string& then) {
  return widened(
      "declare i32 @llvm.smin.i32(i32, i32)\ndeclare i32 @llvm.umax.i32(i32, i32)\n"
      "define void @k(ptr %x, ptr %y, i32 %n) {\n  %lane = call i32 @\"kmux.lane\"()\n  %u = add i32 %n, %lane\n" +
      then +
      "  %wide = sext i32 %i to i64\n  %p = getelementptr float, ptr %x, i64 %wide\n  %v = load float, ptr %p\n" +
      "  %to = zext i32 %lane to i64\n  %q = getelementptr float, ptr %y, i64 %to\n  store float %v, ptr %q\n  ret "
      "void\n}\n");
}

TEST(LaneMemoryTest, TestsBoundsOfComputedIndices) {
  for (const char* bounded :
       {"srem i32 %u, %n", "urem i32 %u, 100", "call i32 @llvm.smin.i32(i32 %u, i32 %n)",
        "call i32 @llvm.smin.i32(i32 %n, i32 %u)", "call i32 @llvm.umax.i32(i32 %u, i32 7)", "and i32 %u, 63"}) {
    SCOPED_TRACE(bounded);
    EXPECT_THAT(loaded(std::string("  %i = ") + bounded + "\n"),
                AllOf(HasSubstr("load <32 x float>"), HasSubstr("gather")));
  }
  for (const char* same : {"sdiv i32 %u, %n", "udiv i32 %u, 100", "lshr i32 %u, 5"}) {
    SCOPED_TRACE(same);
    EXPECT_THAT(loaded(std::string("  %i = ") + same + "\n"), AllOf(HasSubstr("load float, ptr"), HasSubstr("gather")));
  }
  for (const char* never :
       {"srem i32 %u, 31", "and i32 %u, 15", "lshr i32 %u, 4", "udiv i32 %u, 31", "and i32 %u, 62"}) {
    SCOPED_TRACE(never);
    EXPECT_THAT(loaded(std::string("  %i = ") + never + "\n"), AllOf(Not(HasSubstr("br i1")), HasSubstr("gather")));
  }
}

TEST(LaneMemoryTest, LoadsDescendingRows) {
  const std::string text = loaded("  %m = mul i32 %lane, -1\n  %i = add nsw i32 %m, 31\n");
  EXPECT_THAT(text, AllOf(HasSubstr("load <32 x float>"), HasSubstr("<32 x i32> <i32 31, i32 30,")));
}

// The last lane of a scatter to one place stores; no scatter is needed.
TEST(LaneMemoryTest, StoresUniformAddressOnce) {
  const std::string text = widened(
      "define void @k(ptr %x) {\n  %lane = call i32 @\"kmux.lane\"()\n  store i32 %lane, ptr %x\n  ret void\n}\n");
  EXPECT_THAT(text, AllOf(HasSubstr("store i32 31, ptr %0"), Not(HasSubstr("scatter"))));
}

// Indices at a constant distance, provided that their sums do not wrap around.
TEST(LaneMemoryTest, CombinesRecordsByIndexDistance) {
  const auto pair = [](const std::string& second) {
    return widened(
        "define void @k(ptr %x, ptr %y) {\n  %lane = call i32 @\"kmux.lane\"()\n  %a = shl nuw nsw i32 %lane, 1\n  %b "
        "= " +
        second +
        "\n  %wa = sext i32 %a to i64\n  %wb = sext i32 %b to i64\n  %p = getelementptr float, ptr %x, i64 %wa\n"
        "  %q = getelementptr float, ptr %x, i64 %wb\n  %v = load float, ptr %q\n  %w = load float, ptr %p\n"
        "  %s = fadd float %v, %w\n  store float %s, ptr %y\n  ret void\n}\n");
  };
  EXPECT_THAT(pair("or disjoint i32 %a, 1"), HasSubstr("load <64 x float>"));
  EXPECT_THAT(pair("add nsw i32 %a, 1"), HasSubstr("load <64 x float>"));
  EXPECT_THAT(pair("add nsw i32 %a, -1"), HasSubstr("load <64 x float>"));
  EXPECT_THAT(pair("or i32 %a, 1"), Not(HasSubstr("load <64 x float>")));
  EXPECT_THAT(pair("add i32 %a, 1"), Not(HasSubstr("load <64 x float>")));
}

TEST(LaneMemoryTest, CombinesRecordsInSharedArrays) {
  const std::string text = widened(
      "@s = internal global [256 x float] undef\n"
      "define void @k(ptr %y) {\n  %lane = call i32 @\"kmux.lane\"()\n  %a = shl nuw nsw i32 %lane, 1\n"
      "  %b = or disjoint i32 %a, 1\n  %wa = zext nneg i32 %a to i64\n  %wb = zext nneg i32 %b to i64\n"
      "  %p = getelementptr [256 x float], ptr @s, i64 0, i64 %wa\n"
      "  %q = getelementptr [256 x float], ptr @s, i64 0, i64 %wb\n  %v = load float, ptr %q\n"
      "  %w = load float, ptr %p\n  %s = fadd float %v, %w\n  store float %s, ptr %y\n  ret void\n}\n");
  EXPECT_THAT(text, HasSubstr("load <64 x float>"));
}

// A store between two loads may change the result of the second one.
TEST(LaneMemoryTest, DoesNotCombineAcrossAliasingAccesses) {
  EXPECT_THAT(records(8, "  %a = load float, ptr %p\n  store float %a, ptr %y\n  %b = load float, ptr %p4\n"),
              Not(HasSubstr("load <64")));
  EXPECT_THAT(records(8, "  store float %f, ptr %q\n  %a = load float, ptr %x\n  store float %a, ptr %q4\n"),
              Not(HasSubstr("store <64")));
}

TEST(LaneMemoryTest, CopiesAndSetsRecordsWhole) {
  const std::string copy = "  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 16, i1 false)\n";
  EXPECT_THAT(records(16, copy), AllOf(HasSubstr("load <64 x i64>"), HasSubstr("store <64 x i64>")));
  EXPECT_THAT(records(20, copy), Not(HasSubstr("load <")));
  EXPECT_THAT(records(16, "  call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 0, i1 false)\n"), HasSubstr("i64 0"));
  const std::string zero = "  call void @llvm.memset.p0.i64(ptr %q, i8 1, i64 12, i1 false)\n";
  EXPECT_THAT(records(12, zero), HasSubstr("store <96 x i32> <i32 16843009,"));
}

// Returns the text of `k`, in which each thread writes a separate element, for blocks with these known extents.
std::string lowered(const KnownExtents& block) {
  Steps steps(
      "define void @k(ptr %x, i32 %n) {\n  %t = call i32 @\"kmux.thread.x\"()\n"
      "  %p = getelementptr i32, ptr %x, i32 %t\n  store i32 %n, ptr %p\n  ret void\n}\n");
  EXPECT_TRUE(lower_kernels(*steps.module, {{"k", block}}, {}).ok());
  return text_of(*steps.module->getFunction("k.blocks"));
}

TEST(LaneMemoryTest, StoresRowsOfAnyLengthContiguously) {
  EXPECT_THAT(lowered({0, 1, 1}),
              AllOf(HasSubstr("@llvm.masked.store"), Not(HasSubstr("scatter")), Not(HasSubstr("urem <"))));
  EXPECT_THAT(lowered({0, 0, 1}), HasSubstr("scatter"));  // a warp covers several rows
}

// Returns a loop of `count` iterations that fills a private array, and one that reads it back.
std::string structured_array(int count) {
  const std::string n = std::to_string(count);
  std::string loops = "define void @k(ptr %x, float %n) {\nentry:\n  %a = alloca [" + n + " x float]\n  br label %in\n";
  const std::string ends[] = {"in", "out"};
  for (const std::string& at : ends) {
    loops += at + ":\n  %i." + at + " = phi i64 [ 0, %" + (at == "in" ? "entry" : "in") + " ], [ %next." + at + ", %" +
             at + " ]\n";
    loops += "  %own." + at + " = getelementptr float, ptr %a, i64 %i." + at + "\n  %far." + at +
             " = getelementptr float, ptr %x, i64 %i." + at + "\n";
    const std::string from = at == "in" ? "%far." : "%own.", to = at == "in" ? "%own." : "%far.";
    loops += "  %v0." + at + " = load float, ptr " + from + at + "\n";
    for (int i = 0; i < 9; ++i)
      loops += "  %v" + std::to_string(i + 1) + "." + at + " = fdiv float %n, %v" + std::to_string(i) + "." + at + "\n";
    loops += "  store float %v9." + at + ", ptr " + to + at + "\n  %next." + at + " = add i64 %i." + at +
             ", 1\n  %more." + at + " = icmp ult i64 %next." + at + ", " + n + "\n  br i1 %more." + at + ", label %" +
             at + ", label %" + (at == "in" ? "out" : "end") + "\n";
  }
  Steps steps(loops + "end:\n  ret void\n}\n");
  structure(steps.kernel(), steps.functions, false);
  return text_of(steps.kernel());
}

TEST(LaneMemoryTest, KeepsSmallConstantLoopArraysInRegisters) {
  EXPECT_THAT(structured_array(64), Not(HasSubstr("alloca")));
  EXPECT_THAT(structured_array(4000), HasSubstr("alloca")) << "more than registers have";
}

// Returns the row length, in threads, that is chosen for a kernel with `use` of threadIdx.x, %t.
unsigned row_of(const std::string& use, const std::string& features = "+avx512f") {
  Steps steps("define void @k(ptr %x) #0 {\n  %t = call i32 @\"kmux.thread.x\"()\n  %wide = zext i32 %t to i64\n" +
              use + "  ret void\n}\nattributes #0 = { \"target-features\"=\"" + features + "\" }\n");
  return seen_row(steps.kernel());
}

TEST(LaneMemoryTest, DerivesWarpWidthFromKernelRows) {
  EXPECT_EQ(row_of("  %a = urem i32 %t, 16\n"), 16U);
  EXPECT_EQ(row_of("  %a = sdiv i64 %wide, 16\n"), 16U);
  EXPECT_EQ(row_of("  %a = and i32 %t, 15\n  %b = lshr i32 %t, 3\n"), 16U);
  EXPECT_EQ(row_of("  %a = and i32 %t, 15\n  %b = lshr i32 %t, 3\n", "+avx2"), 8U);
  EXPECT_EQ(row_of("  %a = urem i32 %t, 8\n"), 0U);
  EXPECT_EQ(row_of("  %a = urem i32 %t, 32\n  %b = mul i32 %t, 16\n"), 0U);
  EXPECT_EQ(BlockShape::of({256, 1, 1}, 0, 16).lanes, 16U);
  EXPECT_EQ(BlockShape::of({256, 1, 1}, 32, 16).lanes, 32U) << "lanes exchange values";
  EXPECT_EQ(BlockShape::of({40, 1, 1}, 0, 16).lanes, 8U);
}

TEST(LaneMemoryTest, RunsBlockOf512InLockstepWithBarrier) {
  const auto in_step = [](const std::string& then) {
    Steps steps("define void @k(ptr %x) {\nentry:\n  %i = call i32 @\"kmux.lane\"()\n  br label %loop\nloop:\n" + then +
                "  store volatile i32 %i, ptr %x\n  br label %loop\n}\n");
    return warps_in_step(steps.kernel(), BlockShape::of({{32, 16, 1}}, 0), steps.functions).value();
  };
  EXPECT_EQ(in_step("  call void @\"kmux.barrier\"()\n"), 16U);
  EXPECT_EQ(in_step(""), 8U);
}

}  // namespace
}  // namespace kmux::cpu::spmd
