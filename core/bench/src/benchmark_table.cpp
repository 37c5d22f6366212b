#include "benchmark_table.h"

#include <algorithm>
#include <vector>

#include "kmux/plugin/words.h"

#include "overview.h"

namespace kmux::bench {
namespace {

std::vector<Column> columns_in(const BenchReport& report) {
  std::vector<Column> found;
  for (const ColumnInfo& column : columns()) {
    const auto has_it = [&](const Contest& contest) { return !is_of_program(contest) && has(contest, column.column); };
    if (std::ranges::any_of(report.contests, has_it)) found.push_back(column.column);
  }
  return found;
}

void write_titles(HtmlWriter& html, const std::vector<Column>& shown) {
  html.open("thead").open("tr").element("th", "benchmark", R"(scope="col")").element("th", "from", R"(scope="col")");
  for (const Column column : shown) {
    html.element("th", info(column).title,
                 R"(scope="col" class="number")" + attribute("title", info(column).definition));
  }
  html.element("th", "", R"(scope="col")").close("tr").close("thead");
}

void write_line(HtmlWriter& html, const Contest& contest, const Entrant& entrant, const std::vector<Column>& shown,
                const Palette& palette) {
  html.open("tr").open("th", R"(scope="row")");
  write_breakable(html, contest.program);
  html.small(point_text(contest, ", ")).close("th").open("td");
  write_spot(html, palette, entrant.backend);
  html.text(entrant.backend).close("td");
  for (const Column column : shown) {
    const auto found = entrant.columns.find(column);
    html.open("td", R"(class="number")");
    if (found != entrant.columns.end()) write_number(html, column, found->second.interval);
    html.close("td");
  }
  html.open("td", attribute("class", entrant.problem.empty() ? "remarks" : to_string(entrant.state)));
  html.small(entrant.problem.empty() ? join(entrant.remarks) : entrant.problem);
  html.close("td").close("tr");
}

}  // namespace

void write_benchmarks(HtmlWriter& html, const BenchReport& report, const Palette& palette) {
  if (std::ranges::all_of(report.contests, is_of_program)) return;
  const std::vector<Column> shown = columns_in(report);
  html.open("section").element("h2", "Benchmarks of other tools");
  html.open("div", R"(class="wide")").open("table", R"(class="benchmarks")");
  write_titles(html, shown);
  html.open("tbody");
  for (const Contest& contest : report.contests) {
    if (is_of_program(contest)) continue;
    for (const Entrant& entrant : contest.entrants) write_line(html, contest, entrant, shown, palette);
  }
  html.close("tbody").close("table").close("div").close("section");
}

}  // namespace kmux::bench
