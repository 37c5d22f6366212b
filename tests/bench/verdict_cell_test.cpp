#include <gtest/gtest.h>

#include "bench/reports.h"
#include "bench/src/contest.h"

namespace kmux::bench {
namespace {

void expect_cell(const VerdictCell& cell, const char* word, const char* text, const char* detail) {
  EXPECT_EQ(cell.word, word);
  EXPECT_EQ(cell.text, text);
  EXPECT_EQ(cell.detail, detail);
}

TEST(VerdictCellTest, ShowsRatioOfCertainVerdict) {
  expect_cell(verdict_cell({Verdict::kFaster, {0.5, 0.48, 0.52}, 40}), "faster", "2.00x faster", "1.92 to 2.08");
  expect_cell(verdict_cell({Verdict::kSlower, {2, 1.9, 2.1}, 40}), "slower", "2.00x slower", "1.90 to 2.10");
  expect_cell(verdict_cell({Verdict::kSame, {1, 0.99, 1.01}, 40}), "same", "same", "0.99 to 1.01");
}

TEST(VerdictCellTest, ShowsLeaningOfAmbiguousVerdict) {
  expect_cell(verdict_cell({Verdict::kAmbiguous, {1.02, 1.005, 1.04}, 40}), "ambiguous", "ambiguous",
              "1.02x slower, 1.00 to 1.04");
}

TEST(VerdictCellTest, ShowsEntrantStateOrRole) {
  const Contest contest = contest_at(8);
  expect_cell(verdict_cell(contest, contest.entrants[0], kHeadline), "baseline", "baseline", "");
  expect_cell(verdict_cell(contest, contest.entrants[2], kHeadline), "wrong", "wrong", "\"y\" differs");
  expect_cell(verdict_cell(contest, contest.entrants[1], Column::kEndToEnd), "", "", "");
}

}  // namespace
}  // namespace kmux::bench
