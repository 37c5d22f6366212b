#include "simt/runtime/division.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace kmux::simt {
namespace {

constexpr std::uint64_t kRate = 3000;  // ticks per microsecond

BlockCost cost_of_us(double us) { return static_cast<BlockCost>(us * kRate * 256); }

TEST(DivisionTest, KeepsSmallWorkOnCaller) {
  EXPECT_EQ(divide(19, cost_of_us(1), kRate, 7).helpers, 0U);
  EXPECT_EQ(divide(1, cost_of_us(1000), kRate, 7).helpers, 0U);
  EXPECT_EQ(divide(1000, 0, kRate, 7).helpers, 0U) << "of which nothing is known";
  EXPECT_EQ(divide(1000, cost_of_us(1), kRate, 0).helpers, 0U) << "for which nobody is there";
}

TEST(DivisionTest, AllotsTenMicrosecondsPerThread) {
  EXPECT_EQ(divide(20, cost_of_us(1), kRate, 7).helpers, 1U);
  EXPECT_EQ(divide(45, cost_of_us(1), kRate, 7).helpers, 3U);
  EXPECT_EQ(divide(1000, cost_of_us(1), kRate, 7).helpers, 7U);
}

TEST(DivisionTest, LimitsThreadsToParts) { EXPECT_EQ(divide(3, cost_of_us(500), kRate, 7).helpers, 2U); }

TEST(DivisionTest, BoundsPartSize) {
  EXPECT_EQ(divide(1000, cost_of_us(1), kRate, 1).grain, 8U);
  EXPECT_EQ(divide(100000000, cost_of_us(0.1), kRate, 1).grain, 2000U);
  EXPECT_EQ(divide(1 << 17, cost_of_us(0.02), kRate, 1).grain, 1024U) << "64 a thread";
  EXPECT_EQ(divide(1000, cost_of_us(300), kRate, 1).grain, 1U);
}

TEST(DivisionTest, HandlesLargestGrid) {
  constexpr std::uint64_t kLargest = 2147483647ULL * 65535 * 65535;
  for (const BlockCost cost : {BlockCost{1}, cost_of_us(0.01), cost_of_us(1000), BlockCost{1} << 56}) {
    const Division division = divide(kLargest, cost, kRate, 511);
    EXPECT_EQ(division.helpers, 511U) << cost;
    EXPECT_GE(division.grain, 1U);
    EXPECT_GT(kLargest + 513 * division.grain, kLargest) << "the counter runs over";
  }
}

TEST(DivisionTest, LearnsCostFromLaunchTime) {
  const BlockCost first = learn(0, 3000, 10);
  EXPECT_EQ(first, 300U * 256);
  EXPECT_EQ(learn(first, 3000, 10), first);
  EXPECT_EQ(learn(first, 1000, 10), 200U * 256) << "half way to what is cheaper";
  EXPECT_EQ(learn(first, 7000, 10), 400U * 256) << "a quarter of the way to what is dearer";
  EXPECT_EQ(learn(first, 3000000, 10), 525U * 256) << "by no more than an accident may cost";
  EXPECT_EQ(learn(first, 0, 10), 150U * 256);
  EXPECT_EQ(learn(0, 0, 10), 1U) << "something is known";
}

TEST(DivisionTest, PartsConsistOfWholeColumns) {
  const unsigned grid[3] = {5, 20, 2};  // 12 rows of each of five columns, then 8 of each, then the next layer
  const Columns columns(grid, 12, 8);
  EXPECT_EQ(columns.part_begin(0), 0U);
  EXPECT_EQ(columns.part_begin(1), 12U);
  EXPECT_EQ(columns.part_begin(59), 60U);
  EXPECT_EQ(columns.part_begin(61), 68U) << "8 rows are left";
  EXPECT_EQ(columns.part_begin(99), 100U);
  EXPECT_EQ(columns.part_begin(113), 124U) << "of the second layer";
  EXPECT_EQ(columns.part_begin(200), 200U) << "the end";
  EXPECT_EQ(Columns(grid, 0, 8).part_begin(7), 7U) << "of which blocks have nothing of each other";
}

TEST(DivisionTest, ShortPartsSplitColumns) {
  const unsigned grid[3] = {4, 11, 1};
  EXPECT_EQ(Columns(grid, 12, 8).together, 12U);
  EXPECT_EQ(Columns(grid, 12, 7).together, 6U) << "a part is at most half as long again";
  EXPECT_EQ(Columns(grid, 12, 2).together, 3U);
  EXPECT_EQ(Columns(grid, 12, 1).together, 1U);
  const Columns columns(grid, 12, 2);
  EXPECT_EQ(columns.part_begin(1), 3U);
  EXPECT_EQ(columns.part_begin(10), 11U) << "two rows are left of this column";
}

constexpr unsigned kSquare[3] = {32, 32, 1};

// Returns the parts that a thread takes until nothing is left.
std::vector<Blocks> all_of(Shares& shares) {
  std::vector<Blocks> parts;
  unsigned share = shares.enter();
  for (Blocks part; (part = shares.take(share)).count() > 0;) parts.push_back(part);
  return parts;
}

TEST(SharesTest, GiveEachThreadSeparateRows) {
  Shares shares({0, 1024}, {1, 16}, Columns(kSquare, 16, 16));
  unsigned first = shares.enter();
  unsigned second = shares.enter();
  for (std::uint64_t column = 0; column < 512; column += 16) {
    const Blocks mine = shares.take(first);
    const Blocks other = shares.take(second);
    EXPECT_EQ(mine.begin, column);
    EXPECT_EQ(mine.end, column + 16);
    EXPECT_EQ(other.begin, column + 512);
    EXPECT_EQ(other.end, column + 528);
  }
  EXPECT_EQ(shares.take(first).count(), 0U);
  EXPECT_TRUE(shares.are_taken());
}

TEST(SharesTest, FinishedThreadHelpsNext) {
  Shares shares({0, 1024}, {3, 16}, Columns(kSquare, 16, 16));
  unsigned last = 3;
  EXPECT_EQ(shares.take(last).begin, 768U);
  const std::vector<Blocks> parts = all_of(shares);
  ASSERT_EQ(parts.size(), 63U) << "all but that one";
  for (std::size_t i = 0; i < 48; ++i) EXPECT_EQ(parts[i].begin, i * 16) << "in their order";
  EXPECT_EQ(parts[48].begin, 784U);
}

TEST(SharesTest, CoverEveryBlockOnce) {
  for (const unsigned threads : {1U, 2U, 3U, 7U, 100U, 513U}) {
    for (const std::uint64_t rows : {0U, 1U, 12U}) {
      for (const std::uint64_t grain : {1U, 5U, 8U, 300U, 5000U}) {
        const unsigned grid[3] = {5, 20, 7};
        Shares shares({11, 700}, {threads - 1, grain}, Columns(grid, rows, grain));
        std::vector<unsigned> taken(700);
        for (const Blocks part : all_of(shares))
          for (std::uint64_t block = part.begin; block < part.end; ++block) ++taken[block];
        EXPECT_EQ(std::count(taken.begin(), taken.begin() + 11, 0U), 11);
        EXPECT_EQ(std::count(taken.begin() + 11, taken.end(), 1U), 689) << threads << " " << rows << " " << grain;
      }
    }
  }
}

TEST(SharesTest, IndependentBlocksStartInOrder) {
  Shares shares({0, 100}, {1, 8}, Columns(kSquare, 0, 8));
  unsigned first = shares.enter();
  unsigned second = shares.enter();
  EXPECT_EQ(shares.take(second).begin, 0U);
  EXPECT_EQ(shares.take(first).begin, 8U);
}

TEST(SharesTest, AreEmptyAfterGivingUp) {
  Shares shares({0, 1024}, {1, 8}, Columns(kSquare, 16, 8));
  EXPECT_FALSE(shares.are_taken());
  shares.give_up();
  EXPECT_TRUE(shares.are_taken());
  EXPECT_TRUE(all_of(shares).empty());
}

TEST(DivisionTest, ProbesAfterFiveMicroseconds) {
  EXPECT_EQ(probe_blocks(0, kRate), 1U);
  EXPECT_EQ(probe_blocks(cost_of_us(0.5), kRate), 10U);
  EXPECT_EQ(probe_blocks(cost_of_us(50), kRate), 1U);
  EXPECT_EQ(probe_blocks(cost_of_us(50), kRate, true), 4U) << "200 us where no other thread could help";
}

}  // namespace
}  // namespace kmux::simt
