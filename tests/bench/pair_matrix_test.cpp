#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/reports.h"
#include "bench/src/page_sections.h"

namespace kmux::bench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Three backends that were timed, with every pair of them in two columns.
Contest three() {
  Contest contest = contest_at(1024);
  contest.entrants[2] = contest.entrants[1];
  contest.entrants[2].backend = "third";
  const std::vector<PairJudgement> pairs = {{"slow", "quick", {Verdict::kSlower, {2, 1.92, 2.08}, 40}},
                                            {"slow", "third", {Verdict::kSlower, {1.6, 1.25, 1.7}, 40}},
                                            {"quick", "third", {Verdict::kSame, {1, 0.99, 1.01}, 40}}};
  contest.pairs = {{Column::kDeviceHot, pairs}, {Column::kEndToEnd, pairs}};
  return contest;
}

std::string html_of(const Contest& contest) {
  HtmlWriter html;
  write_pairs(html, contest);
  return html.str();
}

TEST(PairMatrixTest, ShowsEveryPairInHtml) {
  const std::string html = html_of(three());
  EXPECT_THAT(html, AllOf(HasSubstr("<details class=\"pairs\" open><summary>each against each: device, hot</summary>"),
                          HasSubstr("<details class=\"pairs\"><summary>each against each: end to end</summary>"),
                          HasSubstr("<td class=\"same\"><div class=\"word\">same</div>")));
  EXPECT_THAT(html, AllOf(HasSubstr("2.00x slower</div>\n<small>1.92 to 2.08<"),
                          HasSubstr("2.00x faster</div>\n<small>1.92 to 2.08<")))
      << "from both sides";
  EXPECT_THAT(html, HasSubstr("1.60x faster</div>\n<small>1.25 to 1.70<"));
}

TEST(PairMatrixTest, ShowsPairsInTerminalText) {
  EXPECT_THAT(pairs_text(three()), AllOf(HasSubstr("device, hot: is ... than  slow"), HasSubstr("same (0.99 to 1.01)"),
                                         HasSubstr("1.60x faster (1.25 to 1.70)"), Not(HasSubstr("end to end"))));
}

TEST(PairMatrixTest, IsEmptyForTwoTimedEntrants) {
  EXPECT_EQ(html_of(contest_at(1024)), "");
  EXPECT_EQ(pairs_text(contest_at(1024)), "");
}

}  // namespace
}  // namespace kmux::bench
