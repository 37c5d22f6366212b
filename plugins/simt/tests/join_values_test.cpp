// Values that warps in lockstep share, on LLVM IR as text.
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spmd/steps.h"
#include "spmd_steps.h"

namespace kmux::cpu::spmd {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(JoinValuesTest, MergesIndicesAtConstantDistance) {
  Steps steps(
      "define void @k(ptr %x, i32 %n, i32 %step) {\nentry:\n  %first = shl i32 %n, 8\n"
      "  %second = add i32 %first, 32\n  br label %loop\nloop:\n  %gone = phi i32 [ 0, %entry ], [ %g, %loop ]\n"
      "  %i = phi i32 [ %first, %entry ], [ %a, %loop ]\n  %j = phi i32 [ %second, %entry ], [ %b, %loop ]\n"
      "  store i32 %i, ptr %x\n  store volatile i32 %j, ptr %x\n  %g = add i32 %gone, 1\n  %a = add i32 %i, %step\n"
      "  %b = add i32 %j, %step\n  %again = icmp ult i32 %g, %n\n  br i1 %again, label %loop, label %end\n"
      "end:\n  ret void\n}\n");
  join_values(steps.kernel());
  const std::string text = text_of(steps.kernel());
  EXPECT_THAT(text, HasSubstr("add i32 %i, 32"));
  EXPECT_THAT(text, HasSubstr("%gone = phi"));
  EXPECT_THAT(text, Not(HasSubstr("%j = phi")));
}

/// Returns two warps in lockstep, `apart` from each other, of a loop whose index advances by `step` from a multiple of
/// 256; joined.
std::string two_in_step(const std::string& step, const std::string& apart) {
  Steps steps(
      "define void @k(ptr %x, i32 %n, i32 %grid) {\nentry:\n  %step = " + step +
      "\n  %first = shl i32 %n, 8\n"
      "  %second = add i32 %first, " +
      apart +
      "\n  br label %loop\nloop:\n"
      "  %i = phi i32 [ %first, %entry ], [ %a, %loop ]\n  %j = phi i32 [ %second, %entry ], [ %b, %loop ]\n"
      "  store volatile i32 %j, ptr %x\n  %a = add i32 %i, %step\n  %b = add i32 %j, %step\n"
      "  %p = add i32 %a, 31\n  %q = add i32 %b, 31\n  %in = icmp slt i32 %p, %n\n  %within = icmp slt i32 %q, %n\n"
      "  %again = and i1 %in, %within\n  br i1 %again, label %loop, label %end\nend:\n  ret void\n}\n");
  join_values(steps.kernel());
  return text_of(steps.kernel());
}

// An offset below 256 does not carry into the multiple of 256, so the second warp is only within bounds if the first
// one is.
TEST(JoinValuesTest, LockstepWarpsShareTestWithoutCarry) {
  const std::string text = two_in_step("shl i32 %grid, 8", "32");
  EXPECT_THAT(text, HasSubstr("add nuw nsw i32 %i, 32"));
  EXPECT_THAT(text, HasSubstr("add nuw nsw i32 %a, 31"));
  EXPECT_THAT(text, HasSubstr("br i1 %within, label %loop"));
}

TEST(JoinValuesTest, LockstepWarpsTestSeparatelyOnPossibleCarry) {
  for (const auto& [step, apart] : {std::pair("shl i32 %grid, 5", "32"), {"shl i32 %grid, 8", "256"}}) {
    const std::string text = two_in_step(step, apart);
    EXPECT_THAT(text, Not(HasSubstr("nuw nsw i32 %i"))) << step;
    EXPECT_THAT(text, HasSubstr("%again = and i1 %in, %within")) << step;
  }
}

}  // namespace
}  // namespace kmux::cpu::spmd
