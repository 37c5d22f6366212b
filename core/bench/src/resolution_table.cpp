#include "resolution_table.h"

#include <algorithm>

namespace kmux::bench {
namespace {

/// What a verdict means for who reads it.
const char* answer_of(const ResolutionRow& row) {
  if (row.verdict == "chosen") return "chosen";
  return row.verdict == "possible" ? "takes it" : "no";
}

void write_row(HtmlWriter& html, const ResolutionRow& row) {
  html.open("tr", attribute("data-backend", row.backend)).element("th", row.backend, R"(scope="row")");
  html.element("td", answer_of(row), attribute("class", row.verdict));
  html.element("td", row.dialect).element("td", row.target).element("td", row.stage).element("td", row.reason);
  html.close("tr");
}

}  // namespace

void write_resolution(HtmlWriter& html, const Contest& contest) {
  if (contest.resolution.empty()) return;
  const auto takers =
      std::ranges::count_if(contest.resolution, [](const ResolutionRow& row) { return row.verdict != "refused"; });
  html.open("details", R"(class="resolution")");
  html.element("summary", "resolution: " + std::to_string(takers) + " of " + std::to_string(contest.resolution.size()) +
                              " candidates take " + contest.program);
  html.open("div", R"(class="wide")").open("table", R"(class="resolution")").open("tr");
  for (const char* title : {"backend", "takes it?", "dialect", "target", "decided at", "why"}) {
    html.element("th", title, R"(scope="col")");
  }
  html.close("tr");
  for (const ResolutionRow& row : contest.resolution) write_row(html, row);
  html.close("table").close("div").close("details");
}

}  // namespace kmux::bench
