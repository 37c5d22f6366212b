#include "kmux/bench/report_file.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string_view>
#include <utility>

#include "kmux/bench/figure.h"
#include "kmux/bench/google_benchmark.h"
#include "kmux/bench/machine.h"
#include "kmux/plugin/file_io.h"

#include "base/json_text.h"
#include "base/text_table.h"
#include "contest.h"
#include "html_writer.h"
#include "page_sections.h"
#include "pictures.h"
#include "text_pool.h"

namespace kmux {

extern const std::string_view bench_page_style;  // page/style.css

}  // namespace kmux

namespace kmux::bench {
namespace {

Contest* find_alike(std::vector<Contest>& contests, const Contest& contest) {
  if (is_of_program(contest)) return nullptr;
  const auto found = std::ranges::find_if(contests, [&](const Contest& other) {
    return !is_of_program(other) && other.program == contest.program && other.point == contest.point;
  });
  return found == contests.end() ? nullptr : &*found;
}

bool has_programs(const NamedReport& one) { return std::ranges::any_of(one.report.contests, is_of_program); }

void add(BenchReport& all, Contest contest, const std::string& origin) {
  if (Contest* const alike = find_alike(all.contests, contest)) {
    std::ranges::move(contest.entrants, std::back_inserter(alike->entrants));
    return;
  }
  if (is_of_program(contest) && contest.origin.empty()) contest.origin = origin;
  all.contests.push_back(std::move(contest));
}

Json machines_of(const std::vector<NamedReport>& reports) {
  const Json& first = reports.front().report.machine;
  if (std::ranges::all_of(reports, [&](const NamedReport& one) { return one.report.machine == first; })) return first;
  Json::Object machines;
  for (const NamedReport& one : reports) machines[one.name.empty() ? "here" : one.name] = one.report.machine;
  return machines;
}

Result<BenchReport> read_report(const Json& json, const std::filesystem::path& path) {
  if (!is_google_benchmark(json)) return report_from_json(json);
  std::filesystem::path name = path;
  if (name.extension() == ".json") name.replace_extension();
  return report_from_google_benchmark(json, name.string());
}

constexpr std::array kShown = {Column::kDeviceHot, Column::kDeviceCold, Column::kHostCall,
                               Column::kEndToEnd,  Column::kBuild,      Column::kLoad};

std::string verdict_text(const Contest& contest, const Entrant& entrant) {
  const VerdictCell cell = verdict_cell(contest, entrant, headline_of(contest));
  const bool is_sure = cell.word == "faster" || cell.word == "slower";
  return is_sure ? cell.text + " (" + cell.detail + ")" : cell.text;
}

std::string cell(const Entrant& entrant, Column column) {
  const auto found = entrant.columns.find(column);
  if (found == entrant.columns.end()) return "";
  const Interval& interval = found->second.interval;
  const std::string width = spread(column, interval);
  return figure(column, interval.median) + (width.empty() ? "" : " " + width);
}

/// Returns the table of the backends that could run.
std::string table_of(const Contest& contest) {
  const auto is_absent = [](const Entrant& entrant) { return entrant.state == EntrantState::kUnavailable; };
  if (std::ranges::all_of(contest.entrants, is_absent)) return "  no backend can run it here\n";
  std::vector<TextTable::Column> titles = {{"backend"}, {contest.baseline.empty() ? "" : "verdict"}};
  std::vector<Column> shown;
  std::ranges::copy_if(kShown, std::back_inserter(shown), [&](Column column) { return has(contest, column); });
  for (const Column column : shown) titles.push_back({std::string(info(column).title), TextTable::Align::kRight});
  TextTable table(std::move(titles));
  for (const Entrant& entrant : contest.entrants) {
    if (entrant.state == EntrantState::kUnavailable) continue;
    std::vector<std::string> cells = {entrant.backend, verdict_text(contest, entrant)};
    for (const Column column : shown) cells.push_back(cell(entrant, column));
    table.add(std::move(cells));
  }
  return table.to_string(2);
}

/// Returns the problems and remarks of a contest. `told` has the remarks of earlier contests, and their unavailable
/// backends with the reasons, which a report has once.
std::string notes_of(const Contest& contest, std::set<std::string>& told) {
  std::string text;
  for (const Entrant& entrant : contest.entrants) {
    if (entrant.problem.empty()) continue;
    const std::string line =
        "  " + entrant.backend + " " + std::string(to_string(entrant.state)) + ": " + entrant.problem + "\n";
    if (entrant.state != EntrantState::kUnavailable || told.insert(line).second) text += line;
  }
  for (const std::string& remark : remarks_of(contest)) {
    if (told.insert(remark).second) text += "  " + remark + "\n";
  }
  const std::string drift = drift_text(contest);
  if (!drift.empty()) text += "  " + drift + "\n";
  return text;
}

// ---- CSV ----

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' ? 2 : 1, c);
  return result + "\"";
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", value);
  return text.data();
}

std::string numbers(const Interval& interval) {
  return number_text(interval.median) + "," + number_text(interval.low) + "," + number_text(interval.high);
}

std::string judgement_cells(const Entrant& entrant, Column column) {
  const auto found = entrant.verdicts.find(column);
  if (found == entrant.verdicts.end()) return ",,,";
  return std::string(to_string(found->second.verdict)) + "," + numbers(found->second.ratio);
}

std::string lines_of(const Contest& contest, const Entrant& entrant) {
  const std::string head = quoted(program_text(contest)) + "," + quoted(point_text(contest, ";")) + "," +
                           quoted(entrant.backend) + "," + std::string(to_string(entrant.state)) + ",";
  if (entrant.columns.empty()) return head + ",,,,,,,,,\n";
  std::string lines;
  for (const auto& [column, series] : entrant.columns) {
    lines += head + std::string(info(column).name) + "," + std::string(info(column).unit) + "," +
             numbers(series.interval) + "," + std::to_string(series.samples.size()) + "," +
             judgement_cells(entrant, column) + "\n";
  }
  return lines;
}

}  // namespace

Result<NamedReport> load_report(const std::filesystem::path& path) {
  KMUX_ASSIGN(const std::string text, read_named_file(path));
  const auto in_file = [&](Error error) {
    error.message = "\"" + path.string() + "\": " + error.message;
    return error;
  };
  const Result<Json> json = read_json(text);
  if (!json) return in_file(json.error());
  Result<BenchReport> report = read_report(*json, path);
  if (!report) return in_file(report.error());
  return NamedReport{path.string(), std::move(*report)};
}

BenchReport join_reports(std::vector<NamedReport> reports) {
  if (reports.empty()) return {};
  if (reports.size() == 1) return std::move(reports.front().report);
  BenchReport all{machines_of(reports), {}};
  const bool has_several = std::ranges::count_if(reports, has_programs) > 1;
  for (NamedReport& one : reports) {
    std::ranges::move(one.report.runs, std::back_inserter(all.runs));
    for (Contest& contest : one.report.contests) add(all, std::move(contest), has_several ? one.name : "");
  }
  return all;
}

std::string text_of(const BenchReport& report) {
  std::string text;
  std::set<std::string> told;
  for (const Contest& contest : report.contests) {
    text += contest.program;
    const std::string point = point_text(contest, ", ");
    const std::string which = contest.label + (contest.label.empty() || point.empty() ? "" : ", ") + point;
    if (!which.empty()) text += " (" + which + ")";
    if (!contest.baseline.empty()) {
      text += ": baseline " + contest.baseline + ", results checked against " + contest.reference;
    }
    text += "\n" + table_of(contest) + pairs_text(contest) + notes_of(contest, told) + "\n";
  }
  return text;
}

std::string csv_of(const BenchReport& report) {
  std::string text =
      "program,axes,backend,state,column,unit,median,low,high,samples,verdict,ratio,ratio_low,ratio_high\n";
  for (const Contest& contest : report.contests) {
    for (const Entrant& entrant : contest.entrants) text += lines_of(contest, entrant);
  }
  return text;
}

namespace {

Palette palette_of(const BenchReport& report) {
  Palette palette;
  for (const Contest& contest : report.contests) {
    for (const Entrant& entrant : contest.entrants) {
      if (std::ranges::find(palette, entrant.backend) == palette.end()) palette.push_back(entrant.backend);
    }
  }
  return palette;
}

// ---- pictures of several contests ----

/// The contests of a program that differ only in one axis.
struct Group {
  std::string title;
  std::string identity;  // programs may have the same name
  std::vector<const Contest*> contests;
};

/// Returns the groups of contests that differ only in `axis`, in the order of the report.
std::vector<Group> groups_of(const BenchReport& report, const std::string& axis) {
  std::vector<Group> groups;
  for (const Contest& contest : report.contests) {
    if (!contest.point.contains(axis)) continue;
    Contest rest{.program = contest.program, .point = contest.point, .origin = contest.origin, .label = contest.label};
    rest.point.erase(axis);
    const std::string title = title_of(rest);
    auto group = std::ranges::find_if(
        groups, [&](const Group& one) { return one.title == title && one.identity == contest.identity; });
    if (group == groups.end()) group = groups.insert(group, {title, contest.identity, {}});
    group->contests.push_back(&contest);
  }
  return groups;
}

void write_scaling(HtmlWriter& html, const BenchReport& report, const Palette& palette) {
  std::set<std::string> axes;
  for (const Contest& contest : report.contests) {
    for (const auto& [name, value] : contest.point) axes.insert(name);
  }
  for (const std::string& axis : axes) {
    for (const Group& group : groups_of(report, axis)) {
      const std::string picture = picture_scaling(group.contests, axis, palette);
      if (picture.empty()) continue;
      html.open("figure", R"(class="scaling")");
      html.element("figcaption", std::string(group.title).append(" over ").append(axis)).raw(picture).close("figure");
    }
  }
}

/// Writes the colours of the backends that have a mark in the roofline.
void write_legend(HtmlWriter& html, const BenchReport& report, const Palette& palette) {
  html.open("p", R"(class="legend")");
  for (const std::string& backend : palette) {
    const auto has_rate = [&](const Contest& contest) {
      return std::ranges::any_of(contest.entrants, [&](const Entrant& entrant) {
        return entrant.backend == backend && entrant.columns.contains(Column::kFlopRate);
      });
    };
    if (std::ranges::none_of(report.contests, has_rate)) continue;
    html.open("span");
    write_spot(html, palette, backend);
    html.text(backend).close("span");
  }
  html.close("p");
}

void write_pictures(HtmlWriter& html, const BenchReport& report, const Palette& palette) {
  html.open("div", R"(class="pictures large")");
  write_scaling(html, report, palette);
  const std::string roofline = picture_roofline(report.contests, palette);
  if (!roofline.empty()) {
    html.open("figure", R"(class="roofline")");
    html.element("figcaption", "Roofline, under the highest rates measured here");
    write_legend(html, report, palette);
    html.raw(roofline).close("figure");
  }
  html.close("div");
}

void write_definitions(HtmlWriter& html) {
  html.open("details", R"(class="definitions")").element("summary", "what the columns and verdicts mean").open("dl");
  for (const ColumnInfo& column : columns()) {
    html.element("dt", column.title, attribute("id", column.name)).element("dd", column.definition);
  }
  html.element("dt", "verdict")
      .element(
          "dd",
          "Of " + std::string(info(kHeadline).title) +
              ", from the median of the ratios of the same rounds: faster or slower if it surely differs by more "
              "than 1 %, same if it surely differs by less than 2 %, else ambiguous. Wrong words: at most 1 in 100.");
  html.close("dl").close("details");
}

/// Writes the dates and command lines of the runs; a page of many is about the results.
void write_runs(HtmlWriter& html, const std::vector<BenchRecord>& runs) {
  constexpr std::size_t kMaxShown = 3;
  const bool is_long = runs.size() > kMaxShown;
  if (is_long) html.open("details").element("summary", std::to_string(runs.size()) + " runs");
  for (const BenchRecord& run : runs) {
    html.open("p", R"(class="faint run")").text(run.date + " UTC");
    if (!run.command.empty()) html.text(": ").element("code", run.command);
    html.close("p");
  }
  if (is_long) html.close("details");
}

}  // namespace

std::string html_of(const BenchReport& report) {
  const Palette palette = palette_of(report);
  HtmlWriter html;
  html.raw(
      "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n");
  html.element("title", "kmux bench").open("style").raw(bench_page_style).close("style").raw("</head>\n<body>\n");
  const bool has_programs = std::ranges::any_of(report.contests, is_of_program);
  html.open("header").element("h1", has_programs ? "Backends against each other" : "Benchmarks");
  html.element("p", machine_line(report.machine), R"(class="faint")");
  write_runs(html, report.runs);
  html.close("header");
  html.open("main");
  write_overview(html, report, palette);
  write_benchmarks(html, report, palette);
  write_pictures(html, report, palette);
  write_machine(html, report.machine);
  write_definitions(html);
  TextPool texts(report);
  std::string last_absent;
  for (std::size_t i = 0; i < report.contests.size(); ++i) {
    if (is_of_program(report.contests[i])) write_contest(html, report.contests[i], i, palette, texts, last_absent);
  }
  return html.close("main").raw("</body>\n</html>\n").str();
}

}  // namespace kmux::bench
