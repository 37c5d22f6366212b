#include <gmock/gmock.h>

#include "page_sections.h"

namespace kmux::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string table_of(std::vector<ResolutionRow> rows) {
  Contest contest;
  contest.program = "scale";
  contest.resolution = std::move(rows);
  HtmlWriter html;
  write_resolution(html, contest);
  return html.str();
}

TEST(ResolutionTableTest, HasOneRowPerReason) {
  const std::string html = table_of({{"slow", 0, "c", "cpu", "chosen", "policy", "the only one"},
                                     {"quick", 0, "c", "", "refused", "manifest", "takes dialect hip, not 'c'"},
                                     {"quick", 1, "msl", "", "refused", "manifest", "takes dialect hip, not 'msl'"},
                                     {"quick", 2, "hip", "", "refused", "probe", "no device"}});
  EXPECT_THAT(html, HasSubstr("1 of 4 candidates take scale"));
  EXPECT_THAT(html, AllOf(HasSubstr("<td>c, msl</td>"), HasSubstr("<td>takes dialect hip</td>")));
  EXPECT_THAT(html, AllOf(HasSubstr("<td>hip</td>"), HasSubstr("<td>no device</td>")));
}

TEST(ResolutionTableTest, MergesNeitherAcceptedCandidatesNorBackends) {
  const std::string html = table_of({{"slow", 0, "c", "cpu", "possible", "policy", "can too"},
                                     {"slow", 1, "hip", "cpu", "possible", "policy", "can too"},
                                     {"quick", 0, "c", "", "refused", "probe", "no device"},
                                     {"idle", 0, "hip", "", "refused", "probe", "no device"}});
  EXPECT_THAT(html, Not(HasSubstr("c, hip")));
}

}  // namespace
}  // namespace kmux::bench
