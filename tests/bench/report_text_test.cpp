#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/bench/report_file.h"

#include "bench/reports.h"

namespace kmux::bench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ReportTextTest, ReportsFasterAndWrongEntrants) {
  EXPECT_THAT(text_of(report_example()),
              AllOf(HasSubstr("scale (n=1024): baseline slow, results checked against slow\n"),
                    HasSubstr("2.00x faster (1.92 to 2.08)"), HasSubstr("wrong wrong: \"y\" differs\n"),
                    HasSubstr("quick: no cache can be flushed\n"),
                    HasSubstr("clocks drifted meanwhile, the host's by +7.0 %, cuda:0's by -4.0 %")));
}

TEST(ReportTextTest, DistinguishesProgramsOfOneName) {
  BenchReport report = report_example();
  report.contests.front().label = "a.kmux";
  EXPECT_THAT(text_of(report), AllOf(HasSubstr("scale (a.kmux, n=1024): "), HasSubstr("\nscale (n=4096): ")));
  EXPECT_THAT(csv_of(report), HasSubstr("\"scale (a.kmux)\",\"n=1024\","));
}

TEST(ReportTextTest, NamesUnavailableBackendOnce) {
  BenchReport report = report_example();
  const auto add = [&](Contest& contest, const std::string& why) {
    contest.entrants.push_back({.backend = "absent", .state = EntrantState::kUnavailable, .problem = why});
  };
  for (Contest& contest : report.contests) add(contest, "no device");
  report.contests.push_back(contest_at(1));
  add(report.contests.back(), "no such dialect");
  const std::string text = text_of(report);
  EXPECT_EQ(text.find("absent unavailable: no device\n"), text.rfind("absent unavailable: no device\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("absent unavailable: no such dialect\n"), testing::Not(HasSubstr("  absent  "))));
  EXPECT_EQ(text.find("quick: no cache can be flushed"), text.rfind("quick: no cache can be flushed"));
  report.contests.resize(1);
  report.contests[0].entrants = {report.contests[0].entrants.back()};
  EXPECT_THAT(text_of(report), HasSubstr("\n  no backend can run it here\n  absent unavailable: no device\n"));
}

TEST(ReportTextTest, CsvHasOneLinePerColumn) {
  const std::string csv = csv_of(report_example());
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 2 * (4 + 4 + 1));
  EXPECT_THAT(csv, AllOf(HasSubstr("\"scale\",\"n=1024\",\"quick\",timed,device_hot,us,1024,921.6,1126.4,3,"
                                   "faster,0.5,0.48,0.52\n"),
                         HasSubstr("\"scale\",\"n=4096\",\"wrong\",wrong,,,,,,,,,,\n")));
}

TEST(ReportTextTest, CsvLinesHaveEqualCellCounts) {
  const std::string csv = csv_of(report_example());
  for (std::size_t begin = 0; begin < csv.size();) {
    const std::size_t end = csv.find('\n', begin);
    const std::string line = csv.substr(begin, end - begin);
    EXPECT_EQ(std::ranges::count(line, ','), 13) << line;
    begin = end + 1;
  }
}

}  // namespace
}  // namespace kmux::bench
