#include <gtest/gtest.h>

#include "runtime/launch.h"

namespace kmux::cpu {
namespace {

constexpr std::uint64_t kRate = 3000;  // ticks of a microsecond

BlockCost cost_of_us(double us) { return static_cast<BlockCost>(us * kRate * 256); }

TEST(Division, LittleWorkIsNotDivided) {
  EXPECT_EQ(divide(19, cost_of_us(1), kRate, 7).helpers, 0U);
  EXPECT_EQ(divide(1, cost_of_us(1000), kRate, 7).helpers, 0U);
  EXPECT_EQ(divide(1000, 0, kRate, 7).helpers, 0U) << "of which nothing is known";
  EXPECT_EQ(divide(1000, cost_of_us(1), kRate, 0).helpers, 0U) << "for which nobody is there";
}

TEST(Division, ThreadsHaveTenMicrosecondsEach) {
  EXPECT_EQ(divide(20, cost_of_us(1), kRate, 7).helpers, 1U);
  EXPECT_EQ(divide(45, cost_of_us(1), kRate, 7).helpers, 3U);
  EXPECT_EQ(divide(1000, cost_of_us(1), kRate, 7).helpers, 7U);
}

TEST(Division, ThereAreNoMoreThreadsThanParts) { EXPECT_EQ(divide(3, cost_of_us(500), kRate, 7).helpers, 2U); }

TEST(Division, PartsAreNeitherShortNorLong) {
  EXPECT_EQ(divide(1000, cost_of_us(1), kRate, 1).grain, 8U);
  EXPECT_EQ(divide(100000000, cost_of_us(0.1), kRate, 1).grain, 2000U);
  EXPECT_EQ(divide(1 << 17, cost_of_us(0.02), kRate, 1).grain, 1024U) << "64 a thread";
  EXPECT_EQ(divide(1000, cost_of_us(300), kRate, 1).grain, 1U);
}

TEST(Division, TheLargestGridIsCounted) {
  constexpr std::uint64_t kLargest = 2147483647ULL * 65535 * 65535;
  for (const BlockCost cost : {BlockCost{1}, cost_of_us(0.01), cost_of_us(1000), BlockCost{1} << 56}) {
    const Division division = divide(kLargest, cost, kRate, 511);
    EXPECT_EQ(division.helpers, 511U) << cost;
    EXPECT_GE(division.grain, 1U);
    EXPECT_GT(kLargest + 513 * division.grain, kLargest) << "the counter runs over";
  }
}

TEST(Division, LearnsFromWhatALaunchTook) {
  const BlockCost first = learn(0, 3000, 10);
  EXPECT_EQ(first, 300U * 256);
  EXPECT_EQ(learn(first, 3000, 10), first);
  EXPECT_EQ(learn(first, 1000, 10), 200U * 256) << "half way to what is cheaper";
  EXPECT_EQ(learn(first, 7000, 10), 400U * 256) << "a quarter of the way to what is dearer";
  EXPECT_EQ(learn(first, 3000000, 10), 525U * 256) << "by no more than an accident may cost";
  EXPECT_EQ(learn(first, 0, 10), 150U * 256);
  EXPECT_EQ(learn(0, 0, 10), 1U) << "something is known";
}

TEST(Division, PartsHaveWholeColumns) {
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

TEST(Division, ShortPartsDivideColumns) {
  const unsigned grid[3] = {4, 11, 1};
  EXPECT_EQ(Columns(grid, 12, 8).together, 12U);
  EXPECT_EQ(Columns(grid, 12, 7).together, 6U) << "a part is at most half as long again";
  EXPECT_EQ(Columns(grid, 12, 2).together, 3U);
  EXPECT_EQ(Columns(grid, 12, 1).together, 1U);
  const Columns columns(grid, 12, 2);
  EXPECT_EQ(columns.part_begin(1), 3U);
  EXPECT_EQ(columns.part_begin(10), 11U) << "two rows are left of this column";
}

TEST(Division, LooksAgainAfterFiveMicroseconds) {
  EXPECT_EQ(probe_blocks(0, kRate), 1U);
  EXPECT_EQ(probe_blocks(cost_of_us(0.5), kRate), 10U);
  EXPECT_EQ(probe_blocks(cost_of_us(50), kRate), 1U);
}

}  // namespace
}  // namespace kmux::cpu
