// Shared memory that warps in lockstep store and load again (spmd/in_step.cpp).
#include <gtest/gtest.h>

#include "spmd/steps.h"
#include "spmd_steps.h"

namespace kmux::cpu::spmd {
namespace {

// Returns a row of 16 numbers that each of two warps in lockstep stores and all load.
std::string rows_of(const std::string& between, const std::string& behind = "") {
  std::string text =
      "declare ptr @\"kmux.shared\"(i64) nounwind willreturn memory(none)\n"
      "declare i32 @\"kmux.warp.y\"(i32) nounwind willreturn memory(none)\n"
      "define void @k(ptr %x, i32 %n) {\n  %s = call ptr @\"kmux.shared\"(i64 64)\n"
      "  %v = load <16 x float>, ptr %x\n";
  for (const std::string row : {"0", "1"}) {
    text += "  %w" + row + " = call i32 @\"kmux.warp.y\"(i32 " + row + ")\n  %r" + row + " = zext i32 %w" + row +
            " to i64\n  %p" + row + " = getelementptr [16 x float], ptr %s, i64 %r" + row +
            "\n  store <16 x float> %v, ptr %p" + row + "\n";
  }
  return text + "  " + between +
         "\n  call void @\"kmux.barrier\"()\n  %q = getelementptr i8, ptr %s, i64 64\n  %l = load <16 x float>, ptr "
         "%q\n  store <16 x float> %l, ptr %x\n  " +
         behind + "\n  ret void\n}\n";
}

// Returns the remaining loads from shared memory, and stores to it.
std::string left_of(const std::string& text, unsigned warps = 2) {
  Steps steps(text);
  forward_shared(steps.kernel(), {BlockShape::Order::kRows, 16, warps, std::array<unsigned, 3>{16, 2, 1}});
  const std::string left = text_of(steps.kernel());
  const bool loads = left.find("%l = load") != std::string::npos;
  return std::string(loads ? "loads" : "") + (left.find("%v, ptr %p1") != std::string::npos ? " stores" : "");
}

TEST(SharedRowsTest, LockstepStoresAreForwardedToLoads) {
  EXPECT_EQ(left_of(rows_of("")), "");
  EXPECT_EQ(left_of(rows_of("store i32 1, ptr %x")), "");  // elsewhere
  EXPECT_EQ(left_of(rows_of("", "%m = load float, ptr %p1")), " stores");
  EXPECT_EQ(left_of(rows_of("", "store ptr %s, ptr %x")), " stores");  // may be read elsewhere
}

TEST(SharedRowsTest, LoadsAreKeptAfterPossibleWrites) {
  for (const char* const between :
       {"store float 1.0, ptr %p1", "%z = getelementptr float, ptr %s, i32 %n\n  store float 1.0, ptr %z",
        "store volatile float 1.0, ptr %p0", "%o = atomicrmw add ptr %p1, i32 1 monotonic",
        "%z = load ptr, ptr %x\n  store i32 0, ptr %z"}) {
    EXPECT_EQ(left_of(rows_of(between)), "loads stores") << between;
  }
  EXPECT_EQ(left_of(rows_of(""), 1), "loads stores");  // warps one after another
}

}  // namespace
}  // namespace kmux::cpu::spmd
