#include "text_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/page_texts.h"
#include "bench/reports.h"

namespace kmux::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

std::string block(const std::string& name, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += name + " <" + std::to_string(i) + "> && \"quoted\";\n";
  return text;
}

/// Two programs on two backends, with launchers that share a layer.
BenchReport shared_report() {
  BenchReport report = report_example();
  report.contests[1].program = "other";
  for (Contest& contest : report.contests) {
    for (Entrant& entrant : contest.entrants) {
      entrant.launcher = "\n// of " + contest.program + "\n" + block("layer", 100) + entrant.backend;
      entrant.source = block(contest.program, 30);
    }
  }
  return report;
}

std::string page_of(const BenchReport& report) {
  TextPool pool(report);
  HtmlWriter html;
  for (const Contest& contest : report.contests) {
    for (const Entrant& entrant : contest.entrants) pool.write(html, contest, entrant);
  }
  return html.str();
}

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(TextPoolTest, StoresSharedLinesOnce) {
  const std::string page = page_of(shared_report());
  EXPECT_EQ(times_in(page, "layer &lt;50>"), 1U);
  EXPECT_EQ(times_in(page, "scale &lt;20>"), 1U);
  EXPECT_THAT(page, HasSubstr("100 lines as in the launcher of scale on slow, from line 3<"));
}

TEST(TextPoolTest, PreservesEveryText) {
  const BenchReport report = shared_report();
  std::vector<std::string> expected;
  for (const Contest& contest : report.contests) {
    for (const Entrant& entrant : contest.entrants) expected.insert(expected.end(), {entrant.launcher, entrant.source});
  }
  EXPECT_THAT(texts_on(page_of(report)), UnorderedElementsAreArray(expected));
}

TEST(TextPoolTest, LinksToEarlierTextOfSameTitle) {
  BenchReport report = report_example();
  const std::string page = page_of(report);
  EXPECT_EQ(times_in(page, "<summary>launcher of scale on slow</summary>"), 1U);
  EXPECT_THAT(page, HasSubstr("<a href=\"#t0\">launcher of scale on slow</a>")) << "at the second point";
}

TEST(TextPoolTest, LinksOnlyToExistingTexts) {
  const std::string page = page_of(shared_report());
  for (std::size_t at = page.find("href=\"#"); at != std::string::npos; at = page.find("href=\"#", at + 1)) {
    const std::size_t begin = at + 7;
    const std::string id = page.substr(begin, page.find('"', begin) - begin);
    EXPECT_EQ(times_in(page, " id=\"" + id + "\""), 1U) << id;
  }
}

}  // namespace
}  // namespace kmux::bench
