#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/bench/report_file.h"

#include "bench/reports.h"
#include "bench/src/page_sections.h"

namespace kmux::bench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ReportHtmlTest, IsSelfContained) {
  EXPECT_THAT(html_of(report_example()),
              AllOf(Not(HasSubstr("http")), Not(HasSubstr("src=")), Not(HasSubstr("@import")), Not(HasSubstr("url(")),
                    Not(HasSubstr("<script"))));
}

TEST(ReportHtmlTest, ContainsVerdicts) {
  const std::string html = html_of(report_example());
  EXPECT_EQ(count_of(html, "<table class=\"verdicts\">"), 2U);
  EXPECT_EQ(count_of(html, "<tr data-backend="), 10U) << "three of each verdict table, two of each resolution";
  EXPECT_THAT(html, AllOf(HasSubstr("<td class=\"faster\"><div class=\"word\">2.00x faster</div>"),
                          HasSubstr("<td class=\"wrong\"><div class=\"word\">wrong</div>"), HasSubstr("\"y\" differs"),
                          HasSubstr("the host's by +7.0 %")));
}

TEST(ReportHtmlTest, ExplainsMissingNumbers) {
  EXPECT_THAT(html_of(report_example()), HasSubstr("<td class=\"problem\" colspan=\"4\">\"y\" differs</td>"));
}

TEST(ReportHtmlTest, ContainsCharts) {
  const std::string html = html_of(report_example());
  EXPECT_EQ(count_of(html, "<figure class=\"scaling\">"), 1U);
  EXPECT_EQ(count_of(html, "<figure class=\"roofline\">"), 1U);
  EXPECT_EQ(count_of(html, "<figure class=\"bars\">"), 2U) << "of the only column that has bars";
  EXPECT_EQ(count_of(html, "<polyline"), 2U) << "a line a backend";
}

TEST(ReportHtmlTest, DrawsProgramsOfOneNameAsTwoLines) {
  BenchReport report = report_example();
  for (const std::int64_t n : {1024, 4096}) report.contests.push_back(contest_at(n));
  for (std::size_t i = 0; i < report.contests.size(); ++i) report.contests[i].label = i < 2 ? "a.kmux" : "b.kmux";
  const std::string html = html_of(report);
  EXPECT_EQ(count_of(html, "<figure class=\"scaling\">"), 2U);
  EXPECT_THAT(html,
              AllOf(HasSubstr("scale (a.kmux) over n"), HasSubstr("scale (b.kmux) over n"),
                    HasSubstr("<small>n=1024; b.kmux</small>"), HasSubstr("launcher of scale (b.kmux) on quick")));
}

TEST(ReportHtmlTest, DrawsUnlabelledProgramsOfOneNameAsTwoLines) {  // of an older report
  BenchReport report = report_example();
  for (const std::int64_t n : {1024, 4096}) report.contests.push_back(contest_at(n));
  for (std::size_t i = 0; i < report.contests.size(); ++i) report.contests[i].identity = i < 2 ? "1" : "2";
  EXPECT_EQ(count_of(html_of(report), "<figure class=\"scaling\">"), 2U);
}

TEST(ReportHtmlTest, LabelsMeasuredValuesAndRoundTimes) {
  BenchReport report = report_example();
  report.contests[1] = contest_at(3000);
  report.contests[1].point["n"] = 3000;
  const std::string html = html_of(report);
  EXPECT_THAT(html, AllOf(HasSubstr("class=\"faint\">1024</text>"), HasSubstr("class=\"faint\">3000</text>"),
                          HasSubstr("class=\"faint\">1 ms</text>"), HasSubstr("class=\"faint\">2 ms</text>")));
}

TEST(ReportHtmlTest, UsesSignsOfPages) {
  const std::string html = html_of(report_example());
  EXPECT_THAT(on_page("5.86 us"), "5.86 \xc2\xb5s");
  EXPECT_THAT(on_page("10.9 us to 97.6 us"), "10.9 \xc2\xb5s to 97.6 \xc2\xb5s");
  EXPECT_THAT(html, AllOf(HasSubstr("<small>\xc2\xb1"
                                    "10.0 %</small>"),
                          Not(HasSubstr("+-"))));
}

TEST(ReportHtmlTest, GivesLongNamesOfBarsLineAlone) {
  Contest contest = contest_at(8);
  const auto height = [&] { return picture_bars(contest, Column::kDeviceHot, {}).substr(0, 60); };
  EXPECT_THAT(height(), HasSubstr("viewBox=\"0 0 320 80\""));
  contest.entrants[0].backend = "slow:option=with_a_long_value";
  EXPECT_THAT(height(), HasSubstr("viewBox=\"0 0 320 110\""));
}

TEST(ReportHtmlTest, BeginsWithRuns) {
  BenchReport report = report_example();
  report.runs = {{"2026-11-30 04:16", "kmux bench 'a b.cu'"}, {"2026-12-01 00:00", ""}};
  EXPECT_THAT(html_of(report), AllOf(HasSubstr("2026-11-30 04:16 UTC: <code>kmux bench 'a b.cu'</code>\n"),
                                     HasSubstr("2026-12-01 00:00 UTC</p>")));
  EXPECT_EQ(report_from_json(to_json(report)).value(), report);
  report.runs.resize(5);
  EXPECT_THAT(html_of(report), HasSubstr("<details><summary>5 runs</summary>"));
}

TEST(ReportHtmlTest, ContainsLauncherTexts) {
  EXPECT_THAT(html_of(report_example()), AllOf(HasSubstr("<summary>launcher of scale on quick</summary>"),
                                               HasSubstr("a &lt; b &amp;&amp; c</pre>")));
}

TEST(ReportHtmlTest, BeginsWithOverview) {
  const std::string html = html_of(report_example());
  EXPECT_EQ(count_of(html, "<table class=\"overview\">"), 1U);
  EXPECT_EQ(count_of(html, "<svg class=\"ratios\""), 2U) << "a line a contest";
  EXPECT_THAT(
      html, AllOf(HasSubstr("<span class=\"count faster\">2 faster"), HasSubstr("<span class=\"count wrong\">2 wrong"),
                  HasSubstr("<a href=\"#c1\">scale</a>"), HasSubstr("<section id=\"c1\">")));
}

TEST(ReportHtmlTest, OmitsUnavailableBackendsFromOverview) {
  BenchReport report = report_example();
  for (Contest& contest : report.contests) {
    contest.entrants.push_back({.backend = "absent", .target = {}, .tier = {}, .state = EntrantState::kUnavailable});
  }
  EXPECT_THAT(html_of(report), Not(HasSubstr("<li data-backend=\"absent\">")));
  EXPECT_THAT(html_of(report), HasSubstr("<tr data-backend=\"absent\">")) << "of the table of its contest";
}

TEST(ReportHtmlTest, ListsUnavailableBackendsOnce) {  // C3.12
  BenchReport report = report_example();
  ASSERT_GE(report.contests.size(), 2U);
  for (Contest& contest : report.contests) {
    contest.entrants.push_back(
        {.backend = "absent", .target = {}, .tier = {}, .state = EntrantState::kUnavailable, .problem = "no device"});
  }
  EXPECT_EQ(count_of(html_of(report), "Not here: absent (no device)."), 1U);
}

TEST(ReportHtmlTest, ContainsResolution) {
  const std::string html = html_of(report_example());
  EXPECT_EQ(count_of(html, "<table class=\"resolution\">"), 2U);
  EXPECT_THAT(html, AllOf(HasSubstr("resolution: 1 of 2 candidates take scale"),
                          HasSubstr("<td class=\"chosen\">chosen</td>"), HasSubstr("no device &lt;here>")));
}

TEST(ReportHtmlTest, EscapesExternalText) {
  BenchReport report = report_example();
  report.contests.front().entrants.front().backend = "<img src=x>";
  report.contests.front().program = "<b>";
  report.machine = Json::Object{{"<i>", "</dd><script>"}};
  EXPECT_THAT(html_of(report),
              AllOf(Not(HasSubstr("<img")), Not(HasSubstr("<b>")), Not(HasSubstr("<i>")), Not(HasSubstr("<script>"))));
}

TEST(ReportHtmlTest, OmitsScalingAndRooflineForSinglePoint) {
  BenchReport report = report_example();
  report.contests.pop_back();
  report.contests.front().bytes = 0;
  EXPECT_THAT(html_of(report), AllOf(Not(HasSubstr("class=\"scaling\"")), Not(HasSubstr("class=\"roofline\""))));
}

}  // namespace
}  // namespace kmux::bench
