#include "kmux/bench/report_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "kmux/bench/figure.h"

#include "base/text_table.h"
#include "contest_title.h"
#include "drift_text.h"
#include "pair_matrix.h"
#include "remarks.h"
#include "verdict_cell.h"

namespace kmux::bench {
namespace {

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

std::string table_of(const Contest& contest) {
  std::vector<TextTable::Column> titles = {{"backend"}, {contest.baseline.empty() ? "" : "verdict"}};
  std::vector<Column> shown;
  std::ranges::copy_if(kShown, std::back_inserter(shown), [&](Column column) { return has(contest, column); });
  for (const Column column : shown) titles.push_back({std::string(info(column).title), TextTable::Align::kRight});
  TextTable table(std::move(titles));
  for (const Entrant& entrant : contest.entrants) {
    std::vector<std::string> cells = {entrant.backend, verdict_text(contest, entrant)};
    for (const Column column : shown) cells.push_back(cell(entrant, column));
    table.add(std::move(cells));
  }
  return table.to_string(2);
}

std::string notes_of(const Contest& contest) {
  std::string text;
  for (const Entrant& entrant : contest.entrants) {
    if (!entrant.problem.empty()) {
      text += "  " + entrant.backend + " " + std::string(to_string(entrant.state)) + ": " + entrant.problem + "\n";
    }
  }
  for (const std::string& remark : remarks_of(contest)) text += "  " + remark + "\n";
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
  const std::string head = quoted(contest.program) + "," + quoted(point_text(contest, ";")) + "," +
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

std::string text_of(const BenchReport& report) {
  std::string text;
  for (const Contest& contest : report.contests) {
    text += contest.program;
    if (!contest.point.empty()) text += " (" + point_text(contest, ", ") + ")";
    if (!contest.baseline.empty()) {
      text += ": baseline " + contest.baseline + ", results checked against " + contest.reference;
    }
    text += "\n" + table_of(contest) + pairs_text(contest) + notes_of(contest) + "\n";
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

}  // namespace kmux::bench
