#include <algorithm>
#include <vector>

#include "kmux/plugin/word_list.h"

#include "contest.h"
#include "page_sections.h"

namespace kmux::bench {
namespace {

constexpr std::string_view kBarColumns[] = {"device_hot", "device_cold", "host_call", "end_to_end"};

void write_header(HtmlWriter& html, const Contest& contest) {
  html.open("tr").element("th", "backend", R"(scope="col")");
  html.element("th", "verdict", R"(scope="col")");
  for (const ColumnInfo& column : columns()) {
    if (!has(contest, column.column)) continue;
    html.open("th", R"(scope="col")").element("a", column.title, attribute("href", "#" + std::string(column.name)));
    html.close("th");
  }
  html.close("tr");
}

void write_verdict(HtmlWriter& html, const Contest& contest, const Entrant& entrant) {
  const VerdictCell verdict = verdict_cell(contest, entrant, headline_of(contest));
  html.open("td", attribute("class", verdict.word)).element("div", verdict.text, R"(class="word")");
  html.small(verdict.detail).close("td");
}

/// A backend that was not timed has a reason instead of numbers.
void write_problem(HtmlWriter& html, const Contest& contest, const Entrant& entrant) {
  const auto numbers =
      std::ranges::count_if(columns(), [&](const ColumnInfo& one) { return has(contest, one.column); });
  const std::string state(to_string(entrant.state));
  html.open("td", attribute("class", state)).element("div", state, R"(class="word")").close("td");
  html.element("td", entrant.problem,
               R"(class="problem")" + attribute("colspan", std::to_string(std::max<std::ptrdiff_t>(numbers, 1))));
}

void write_row(HtmlWriter& html, const Contest& contest, const Entrant& entrant, const Palette& palette) {
  html.open("tr", attribute("data-backend", entrant.backend)).open("th", R"(scope="row")");
  write_spot(html, palette, entrant.backend);
  html.text(entrant.backend);
  html.small(entrant.tier.empty() ? entrant.target : entrant.target + ", tier " + entrant.tier);
  html.close("th");
  if (entrant.state != EntrantState::kTimed) {
    write_problem(html, contest, entrant);
    html.close("tr");
    return;
  }
  write_verdict(html, contest, entrant);
  for (const ColumnInfo& column : columns()) {
    if (!has(contest, column.column)) continue;
    const auto found = entrant.columns.find(column.column);
    html.open("td");
    if (found != entrant.columns.end()) write_number(html, column.column, found->second.interval);
    html.close("td");
  }
  html.close("tr");
}

/// Returns the backends that could not run, with their reasons.
std::string absent_text(const Contest& contest) {
  std::vector<std::string> absent;
  for (const Entrant& entrant : contest.entrants) {
    if (entrant.state == EntrantState::kUnavailable) absent.push_back(entrant.backend + " (" + entrant.problem + ")");
  }
  return join(absent);
}

void write_table(HtmlWriter& html, const Contest& contest, const Palette& palette) {
  html.open("div", R"(class="wide")").open("table", R"(class="verdicts")");
  write_header(html, contest);
  for (const Entrant& entrant : contest.entrants) {
    if (entrant.state != EntrantState::kUnavailable) write_row(html, contest, entrant, palette);
  }
  html.close("table").close("div");
}

void write_absent(HtmlWriter& html, const Contest& contest, std::string& last_absent) {
  const std::string absent = absent_text(contest);
  if (absent.empty() || absent == last_absent) return;
  html.element("p", "Not here: " + absent + ".", R"(class="faint absent")");
  last_absent = absent;
}

void write_bars(HtmlWriter& html, const Contest& contest, const Palette& palette) {
  if (timed_in(contest) < 2) return;  // one bar adds nothing to its number
  html.open("div", R"(class="pictures")");
  for (const std::string_view name : kBarColumns) {
    const Column column = *column_named(name);
    const std::string picture = picture_bars(contest, column, palette);
    if (picture.empty()) continue;
    html.open("figure", R"(class="bars")").element("figcaption", info(column).title).raw(picture).close("figure");
  }
  html.close("div");
}

void write_notes(HtmlWriter& html, const Contest& contest) {
  if (!contest.baseline.empty()) {
    html.element("p", "Baseline " + contest.baseline + "; results checked against " + contest.reference + ".",
                 R"(class="faint")");
  }
  for (const std::string& remark : remarks_of(contest)) html.element("p", remark + ".", R"(class="faint")");
  const std::string drift = drift_text(contest);
  if (!drift.empty()) html.element("p", drift + ".", R"(class="ambiguous")");
}

/// Returns the meaning of a verdict for readers.
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

/// Returns the remark on a variant without its dialect.
std::string remark_of_any(const ResolutionRow& row) {
  const std::string tail = ", not '" + row.dialect + "'";
  return row.reason.ends_with(tail) ? row.reason.substr(0, row.reason.size() - tail.size()) : row.reason;
}

/// Merges the variants that a backend refuses for the same reason into one row.
std::vector<ResolutionRow> in_short(const std::vector<ResolutionRow>& rows) {
  std::vector<ResolutionRow> list;
  for (const ResolutionRow& row : rows) {
    const auto same = std::ranges::find_if(list, [&](const ResolutionRow& known) {
      return row.verdict == "refused" && known.verdict == row.verdict && known.backend == row.backend &&
             known.stage == row.stage && known.reason == remark_of_any(row);
    });
    if (same != list.end()) {
      same->dialect += ", " + row.dialect;
    } else {
      list.push_back(row);
      list.back().reason = remark_of_any(row);
    }
  }
  return list;
}

}  // namespace

void write_contest(HtmlWriter& html, const Contest& contest, std::size_t number, const Palette& palette,
                   TextPool& texts, std::string& last_absent) {
  html.open("section", attribute("id", section_id(number))).element("h2", title_of(contest));
  if (!contest.description.empty()) html.element("p", contest.description);
  write_table(html, contest, palette);
  write_absent(html, contest, last_absent);
  write_notes(html, contest);
  write_bars(html, contest, palette);
  write_pairs(html, contest);
  write_resolution(html, contest);
  for (const Entrant& entrant : contest.entrants) texts.write(html, contest, entrant);
  html.close("section");
}

std::string title_of(const Contest& contest) {
  std::string title = contest.program;
  for (const auto& [name, value] : contest.point) title += ", " + name + " = " + std::to_string(value);
  const std::string from =
      contest.label + (contest.label.empty() || contest.origin.empty() ? "" : ", ") + contest.origin;
  return from.empty() ? title : title + " (" + from + ")";
}

std::string point_text(const Contest& contest, const char* separator) {
  std::string text;
  for (const auto& [name, value] : contest.point) {
    text.append(text.empty() ? "" : separator).append(name).append("=").append(std::to_string(value));
  }
  return text;
}

Column headline_of(const Contest& contest) {
  if (has(contest, kHeadline)) return kHeadline;
  const auto found = std::ranges::find_if(
      columns(), [&](const ColumnInfo& info) { return info.unit == "us" && has(contest, info.column); });
  return found == columns().end() ? kHeadline : found->column;
}

bool has(const Contest& contest, Column column) {
  return std::ranges::any_of(contest.entrants,
                             [&](const Entrant& entrant) { return entrant.columns.contains(column); });
}

bool is_of_program(const Contest& contest) { return !contest.baseline.empty() || !contest.resolution.empty(); }

std::size_t timed_in(const Contest& contest) {
  return static_cast<std::size_t>(std::ranges::count(contest.entrants, EntrantState::kTimed, &Entrant::state));
}

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
