#include "resolution_table.h"

#include <algorithm>
#include <string>
#include <vector>

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

/// What is said of a variant but for its dialect.
std::string said_of_any(const ResolutionRow& row) {
  const std::string tail = ", not '" + row.dialect + "'";
  return row.reason.ends_with(tail) ? row.reason.substr(0, row.reason.size() - tail.size()) : row.reason;
}

/// Variants that a backend refuses for one reason share a row.
std::vector<ResolutionRow> in_short(const std::vector<ResolutionRow>& rows) {
  std::vector<ResolutionRow> list;
  for (const ResolutionRow& row : rows) {
    const auto same = std::ranges::find_if(list, [&](const ResolutionRow& known) {
      return row.verdict == "refused" && known.verdict == row.verdict && known.backend == row.backend &&
             known.stage == row.stage && known.reason == said_of_any(row);
    });
    if (same != list.end()) {
      same->dialect += ", " + row.dialect;
    } else {
      list.push_back(row);
      list.back().reason = said_of_any(row);
    }
  }
  return list;
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
  for (const ResolutionRow& row : in_short(contest.resolution)) write_row(html, row);
  html.close("table").close("div").close("details");
}

}  // namespace kmux::bench
