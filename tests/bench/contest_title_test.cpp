#include <gtest/gtest.h>

#include "bench/reports.h"
#include "bench/src/page_sections.h"

namespace kmux::bench {
namespace {

TEST(ContestTitleTest, ContainsProgramPointAndOrigin) {
  Contest contest{.program = "gemm", .description = {}, .point = {{"m", 3}, {"n", 4}}};
  EXPECT_EQ(title_of(contest), "gemm, m = 3, n = 4");
  EXPECT_EQ(point_text(contest, ";"), "m=3;n=4");
  contest.origin = "run.json";
  EXPECT_EQ(title_of(contest), "gemm, m = 3, n = 4 (run.json)");
  contest.label = "gemm.cu";
  EXPECT_EQ(title_of(contest), "gemm, m = 3, n = 4 (gemm.cu, run.json)");
  EXPECT_EQ(program_text(contest), "gemm (gemm.cu)");
}

TEST(ContestTitleTest, HeadlineIsFirstAvailableTimeColumn) {
  Contest contest = contest_at(8);
  EXPECT_EQ(headline_of(contest), kHeadline);
  for (Entrant& entrant : contest.entrants) entrant.columns.clear();
  EXPECT_EQ(headline_of(contest), kHeadline) << "nobody has any";
  contest.entrants.back().columns = {{Column::kBytesRate, series_of(1)}, {Column::kHostCall, series_of(1)}};
  EXPECT_EQ(headline_of(contest), Column::kHostCall);
}

TEST(ContestTitleTest, CountsTimedEntrantsAndDetectsPrograms) {
  EXPECT_EQ(timed_in(contest_at(8)), 2U);
  EXPECT_TRUE(is_of_program(contest_at(8)));
  EXPECT_FALSE(is_of_program(Contest{}));
}

}  // namespace
}  // namespace kmux::bench
