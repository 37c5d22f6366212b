// The prefetches of loops for the next tile, and the tiles that blocks of a column share (spmd/tiles.cpp).
#include <algorithm>

#include <gmock/gmock.h>

#include "spmd/steps.h"
#include "spmd_steps.h"

namespace kmux::cpu::spmd {
namespace {

using std::string;

constexpr BlockShape kTile = {BlockShape::Order::kRows, 16, 8, std::array<unsigned, 3>{16, 8, 1}};

/// A loop over tiles of eight rows, in its vectorized form.
struct Loop {
  string first = "%i = mul nsw i32 %t, %n";  // the index of a tile's first row in the array
  string barrier = "call void @\"kmux.barrier\"()";
  int additions = 300;  // after its loads
  string from = "%b";
  string before = "";  // the loop
  string behind = "";  // the loop

  string text() const {
    string text =
        "declare i32 @\"kmux.block.y\"() nounwind willreturn memory(none)\n"
        "declare ptr @\"kmux.shared\"(i64) nounwind willreturn memory(none)\n"
        "define void @k(ptr %b, ptr %c, i32 %n) {\nentry:\n  %shared = call ptr @\"kmux.shared\"(i64 0)\n  " +
        before +
        "\n  br label %loop\nloop:\n"
        "  %t = phi i32 [ 0, %entry ], [ %next, %loop ]\n  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %sum, "
        "%loop ]\n  " +
        first + "\n  %r0 = add nsw i32 %i, 5\n";
    for (int row = 0; row < 8; ++row) {
      const string r = std::to_string(row);
      text += "  %w" + r + " = sext i32 %r" + r + " to i64\n  %p" + r + " = getelementptr float, ptr " + from +
              ", i64 %w" + r + "\n  %v" + r + " = load <16 x float>, ptr %p" + r + "\n  %r" + std::to_string(row + 1) +
              " = add nsw i32 %r" + r + ", %n\n";
    }
    text += "  " + barrier + "\n  %a0 = fadd <16 x float> %s, %v7\n";
    for (int i = 0; i < additions; ++i) {
      text += "  %a" + std::to_string(i + 1) + " = fadd <16 x float> %a" + std::to_string(i) + ", %v" +
              std::to_string(i % 8) + "\n";
    }
    return text + "  %sum = fadd <16 x float> %a" + std::to_string(additions) +
           ", %v0\n  %next = add nsw i32 %t, 16\n  %again = icmp slt i32 %next, %n\n  br i1 %again, label %loop, label "
           "%end\n"
           "end:\n  store <16 x float> %sum, ptr %c\n  " +
           behind + "\n  ret void\n}\n";
  }
};

// Returns the number of the loop's prefetches, after checking that none is outside of it.
int requests(const Loop& loop, const BlockShape& shape = kTile) {
  Steps steps(loop.text());
  place_tiles(steps.kernel(), shape);
  const string text = text_of(steps.kernel());
  int found = 0;
  for (std::size_t at = text.find("loop:"); (at = text.find("call void @llvm.prefetch", at)) < text.find("end:"); ++at)
    ++found;
  return found;
}

TEST(TilesTest, DistantRowsArePrefetchedOneIterationAhead) {
  EXPECT_EQ(requests({}), 8);
  EXPECT_EQ(requests({.first = "%i = mul nsw i32 %t, 1024"}), 8);
  EXPECT_EQ(requests({.first = "%i = mul i32 %t, %n"}), 8);
}

TEST(TilesTest, PredictableRowsAreNotPrefetched) {
  EXPECT_EQ(requests({.first = "%i = add nsw i32 %t, %n"}), 0);  // one line after another
  EXPECT_EQ(requests({.additions = 100}), 0);  // the processor itself looks that far ahead
}

TEST(TilesTest, UnknownNextTileIsNotPrefetched) {
  EXPECT_EQ(requests({.first = "%q = getelementptr i32, ptr %c, i32 %t\n  %i = load i32, ptr %q"}), 0);
  EXPECT_EQ(requests({.first = "%i = udiv i32 %n, %t"}), 0);
  EXPECT_EQ(requests({.from = "%shared"}), 0);
}

TEST(TilesTest, OtherLoopsAndBlocksAreNotPrefetched) {
  EXPECT_EQ(requests({.barrier = "; none"}), 0);
  EXPECT_EQ(requests({}, {BlockShape::Order::kRows, 16, 4, std::array<unsigned, 3>{16, 8, 1}}), 0);  // partly lockstep
  EXPECT_EQ(requests({}, {BlockShape::Order::kRows, 16, 8, std::array<unsigned, 3>{128, 1, 1}}), 0);  // one row
  EXPECT_EQ(requests({}, {BlockShape::Order::kRows, 16, 1, {}}), 0);
}

// Prefetches are spread out: a processor tracks about a dozen outstanding ones.
TEST(TilesTest, PrefetchesAreSpacedApart) {
  Steps steps(Loop{}.text());
  place_tiles(steps.kernel(), kTile);
  const string text = text_of(steps.kernel());
  std::size_t last = text.find("call void @llvm.prefetch");
  for (int row = 1; row < 8; ++row) {
    const std::size_t next = text.find("call void @llvm.prefetch", last + 1);
    EXPECT_GT(std::count(text.begin() + static_cast<std::ptrdiff_t>(last),
                         text.begin() + static_cast<std::ptrdiff_t>(next), '\n'),
              10);
    last = next;
  }
}

// Returns true if the tiles are packed, and read from there by a separate loop.
bool packs(const Loop& loop) {
  Steps steps(loop.text());
  place_tiles(steps.kernel(), kTile);
  const string text = text_of(steps.kernel());
  const bool has_copy = text.find("loop.packed:") != string::npos;
  EXPECT_EQ(has_copy, text.find("@kmux.packed()") != string::npos) << text;
  return has_copy;
}

TEST(TilesTest, ColumnSharedTilesArePacked) {
  EXPECT_TRUE(packs({}));
  EXPECT_TRUE(packs({.first = "%i = add nsw i32 %t, %n"}));  // near ones, too
  EXPECT_TRUE(packs({.before = "store i32 1, ptr %c", .behind = "store i32 2, ptr %c"}));
  const string row = "%y = call i32 @\"kmux.block.y\"()";
  EXPECT_TRUE(packs({.before = row, .behind = "store i32 %y, ptr %c"}));
}

TEST(TilesTest, RowDependentTilesAreNotPacked) {
  const string row = "%y = call i32 @\"kmux.block.y\"()";
  EXPECT_FALSE(packs({.first = "%q = mul i32 %t, %n\n  %i = add i32 %q, %y", .before = row}));
  EXPECT_FALSE(packs({.from = "%p", .before = row + "\n  %p = getelementptr float, ptr %b, i32 %y"}));
  EXPECT_FALSE(packs({.first = "%i = add i32 %t, %y", .before = "%y = load i32, ptr %c"}));
  EXPECT_FALSE(packs({.additions = 100}));  // not worth it
}

/// A loop that copies data at `from` to shared memory, and reads it after the barrier at `offset`.
struct Copy {
  string from = "getelementptr float, ptr %c, i32 %t";
  string value = "%m";  // the stored value
  string offset = "60";
  string sooner = "", later = "", before = "", behind = "";
};

// Returns true if blocks of a row share the copy.
bool keeps(const Copy& copy) {
  Steps steps(
      Loop{.barrier = "%q = " + copy.from + "\n  %m = load <16 x float>, ptr %q\n  " + copy.sooner +
                      "\n  store <16 x float> " + copy.value +
                      ", ptr %shared\n  call void @\"kmux.barrier\"()\n  %g = getelementptr i8, ptr %shared, i64 " +
                      copy.offset + "\n  %e = load float, ptr %g\n  " + copy.later,
           .before = "%x = call i32 @\"kmux.block.x\"()\n  " + copy.before,
           .behind = copy.behind}
          .text());
  place_tiles(steps.kernel(), kTile);
  const string text = text_of(steps.kernel());
  const bool has_copy = text.find("loop.kept:") != string::npos;
  EXPECT_EQ(has_copy, text.find("@kmux.kept()") != string::npos) << text;
  EXPECT_TRUE(text.find("loop.packed:") != string::npos) << text;
  return has_copy;
}

TEST(TilesTest, RowCopiesAreKept) {
  EXPECT_TRUE(keeps({}));
  EXPECT_TRUE(keeps({.from = "getelementptr float, ptr %c, i32 %y", .before = "%y = call i32 @\"kmux.block.y\"()"}));
  EXPECT_TRUE(keeps({.before = "%other = call ptr @\"kmux.shared\"(i64 64)\n  store i32 0, ptr %other"}));
}

TEST(TilesTest, ColumnSpecificCopiesAreNotKept) {
  EXPECT_FALSE(keeps({.from = "getelementptr float, ptr %c, i32 %x"}));
  EXPECT_FALSE(keeps({.from = "getelementptr float, ptr %shared, i32 512"}));  // no other block can read it
  EXPECT_FALSE(keeps({.value = "%v0"}));  // a tile that is packed
  EXPECT_FALSE(keeps({.value = "%d", .sooner = "%d = fadd <16 x float> %m, %s"}));
}

// Shared memory that is read elsewhere, before it is written, or at another place than the copy, must be kept.
TEST(TilesTest, TilesUsedBeyondCopyAreNotKept) {
  EXPECT_FALSE(keeps({.offset = "61"}));
  EXPECT_FALSE(keeps({.offset = "-4"}));
  EXPECT_FALSE(keeps({.sooner = "%early = load float, ptr %shared"}));
  EXPECT_FALSE(keeps({.later = "store i32 0, ptr %g"}));
  EXPECT_FALSE(keeps({.later = "%o = getelementptr float, ptr %shared, i32 %t\n  %p = load float, ptr %o"}));
  EXPECT_FALSE(keeps({.before = "store i32 0, ptr %shared"}));
  EXPECT_FALSE(keeps({.behind = "%last = load float, ptr %shared"}));
  EXPECT_FALSE(keeps({.behind = "store ptr %shared, ptr %c"}));
  EXPECT_FALSE(keeps({.behind = "%second = call ptr @\"kmux.shared\"(i64 0)"}));
}

// A block may then wait for another one, or read data that it has written.
TEST(TilesTest, SynchronizingBlocksAreNotPacked) {
  EXPECT_FALSE(packs({.behind = "%o = atomicrmw add ptr %c, i32 1 monotonic"}));
  EXPECT_FALSE(packs({.behind = "fence seq_cst"}));
  EXPECT_FALSE(packs({.before = "%f = load volatile i32, ptr %c"}));
  EXPECT_FALSE(packs({.before = "store volatile i32 0, ptr %c"}));
  EXPECT_FALSE(packs({.behind = "call void @other()\n  ret void\n}\ndeclare void @other()\ndefine void @l() {"}));
}

}  // namespace
}  // namespace kmux::cpu::spmd
