// What lanes read and write where an index may wrap around from one lane to the next (spmd/lane_memory.cpp).
#include <gmock/gmock.h>

#include "spmd/lower.h"
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

TEST(LaneMemory, IndicesThatMayWrapAroundAreTested) {
  const std::string text = widened(
      "define void @k(ptr %x, ptr %y, i32 %n) {\n  %lane = call i32 @\"kmux.lane\"()\n  %u = add i32 %n, %lane\n"
      "  %wide = zext i32 %u to i64\n  %signed = sext i32 %u to i64\n  %sum = add i64 %signed, 5\n"
      "  %from = getelementptr float, ptr %x, i64 %wide\n  %to = getelementptr float, ptr %y, i64 %sum\n"
      "  %v = load float, ptr %from\n  store float %v, ptr %to\n  ret void\n}\n");
  EXPECT_THAT(text, HasSubstr("icmp ule i32 %4, -32\n"));  // lane 0's: 31 more are 2^32 - 1 at most
  EXPECT_THAT(text, HasSubstr("icmp sle i32 %4, 2147483616\n"));
  for (const char* either : {"load <32 x float>", "@llvm.masked.gather", "store <32 x float>", "@llvm.masked.scatter"})
    EXPECT_THAT(text, HasSubstr(either));
}

// A store of a number every so many bytes, at an index of 8 bits.
std::string stored(const std::string& type, const std::string& bytes) {
  return widened(
      "define void @k(ptr %x, i8 %n, " + type +
      " %v) {\n  %lane = call i32 @\"kmux.lane\"()\n  %byte = trunc i32 %lane to i8\n  %times = mul i8 %byte, " +
      bytes + "\n  %u = add i8 %times, %n\n  %wide = zext i8 %u to i64\n" +
      "  %at = getelementptr i8, ptr %x, i64 %wide\n  store " + type + " %v, ptr %at\n  ret void\n}\n");
}

TEST(LaneMemory, IndicesThatWrapAroundInEachWarpAreNotTested) {
  EXPECT_THAT(stored("float", "4"), HasSubstr("icmp ule i8"));
  EXPECT_THAT(stored("double", "8"), Not(HasSubstr("icmp")));  // 31 times 8
  EXPECT_THAT(stored("float", "8"), Not(HasSubstr("icmp")));  // no elements of a vector
  EXPECT_THAT(stored("float", "-4"), Not(HasSubstr("icmp")));
}

// A kernel whose thread has an address `p` so many bytes from the next one's, and `then`.
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

TEST(LaneMemory, RecordsAreReadAndWrittenWhole) {
  const std::string text = records(8, std::string(kReadTwo) + "  store float %a, ptr %q4\n  store float %b, ptr %q\n");
  EXPECT_THAT(text, AllOf(HasSubstr("load <64 x float>"), HasSubstr("store <64 x float>")));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("gather")), Not(HasSubstr("scatter"))));
}

TEST(LaneMemory, RecordsOfWhichMoreIsThereAreNot) {
  EXPECT_THAT(records(16, kReadTwo), HasSubstr("gather"));
  EXPECT_THAT(records(8, "  store float %f, ptr %q4\n"), HasSubstr("scatter"));
  EXPECT_THAT(records(8, "  store float %f, ptr %q\n  store float %f, ptr %q4\n  store float 0.0, ptr %q\n"),
              HasSubstr("scatter"));
}

// A store between two loads may change what the second one reads.
TEST(LaneMemory, RecordsStayOnTheirSideOfWhatMayChangeThem) {
  EXPECT_THAT(records(8, "  %a = load float, ptr %p\n  store float %a, ptr %y\n  %b = load float, ptr %p4\n"),
              Not(HasSubstr("load <64")));
  EXPECT_THAT(records(8, "  store float %f, ptr %q\n  %a = load float, ptr %x\n  store float %a, ptr %q4\n"),
              Not(HasSubstr("store <64")));
}

TEST(LaneMemory, RecordsAreCopiedAndSetWhole) {
  const std::string copy = "  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 16, i1 false)\n";
  EXPECT_THAT(records(16, copy), AllOf(HasSubstr("load <64 x i64>"), HasSubstr("store <64 x i64>")));
  EXPECT_THAT(records(20, copy), Not(HasSubstr("load <")));
  const std::string zero = "  call void @llvm.memset.p0.i64(ptr %q, i8 1, i64 12, i1 false)\n";
  EXPECT_THAT(records(12, zero), HasSubstr("store <96 x i32> <i32 16843009,"));
}

// The text of `k`, in which each thread writes an element of its own, for blocks of which so much is known.
std::string lowered(const KnownExtents& block) {
  Steps steps(
      "define void @k(ptr %x, i32 %n) {\n  %t = call i32 @\"kmux.thread.x\"()\n"
      "  %p = getelementptr i32, ptr %x, i32 %t\n  store i32 %n, ptr %p\n  ret void\n}\n");
  EXPECT_TRUE(lower_kernels(*steps.module, {{"k", block}}, {}).ok());
  return text_of(*steps.module->getFunction("k.blocks"));
}

TEST(LaneMemory, ARowOfAnyLengthIsContiguous) {
  EXPECT_THAT(lowered({0, 1, 1}),
              AllOf(HasSubstr("@llvm.masked.store"), Not(HasSubstr("scatter")), Not(HasSubstr("urem <"))));
  EXPECT_THAT(lowered({0, 0, 1}), HasSubstr("scatter"));  // a warp lies in several rows
}

}  // namespace
}  // namespace kmux::cpu::spmd
