#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "kmux/bench/binding.h"
#include "kmux/plugin/word_list.h"

#include "page_sections.h"

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

namespace {

/// Returns true if `part` describes the method of measurement.
bool is_about_measuring(std::string_view part) {
  static constexpr std::array<std::string_view, 3> kWords = {"real_time", "process_time", "manual_time"};
  static constexpr std::array<std::string_view, 4> kKeys = {"min_time", "min_warmup_time", "iterations", "repeats"};
  return std::ranges::find(kWords, part) != kWords.end() ||
         std::ranges::find(kKeys, part.substr(0, part.find(':'))) != kKeys.end();
}

/// A number in the name: "8" or "n:8".
struct Argument {
  std::string_view name;  // empty: unnamed
  std::int64_t value = 0;
};

std::optional<Argument> argument_in(std::string_view part) {
  const std::size_t colon = part.rfind(':');
  const std::size_t begin = colon == std::string_view::npos ? 0 : colon + 1;
  const std::optional<std::int64_t> value = parse_integer(part.substr(begin));
  if (!value) return std::nullopt;
  return Argument{part.substr(0, begin == 0 ? 0 : colon), *value};
}

/// Returns the parts of `name` without those about the method of measurement.
std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (const auto part = name.substr(begin, end - begin); !is_about_measuring(part)) parts.push_back(part);
    begin = end + 1;
  }
  return parts;
}

}  // namespace

BenchmarkName read_benchmark_name(std::string_view name) {
  BenchmarkName result;
  std::size_t position = 0;
  for (const std::string_view part : parts_of(name)) {
    const std::optional<Argument> argument = result.family.empty() ? std::nullopt : argument_in(part);
    if (!argument) {
      result.family.append(result.family.empty() ? "" : "/").append(part);
      continue;
    }
    const std::string unnamed = "arg" + std::to_string(position);
    result.point[argument->name.empty() ? unnamed : std::string(argument->name)] = argument->value;
    ++position;
  }
  return result;
}

}  // namespace kmux::bench
