#include "kmux/bench/report_html.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "kmux/bench/drift.h"
#include "kmux/bench/figure.h"

#include "html_writer.h"
#include "pictures.h"

namespace kmux {

extern const std::string_view bench_page_style;  // page/style.css

namespace bench {
namespace {

constexpr std::string_view kBarColumns[] = {"device_hot", "device_cold", "host_call", "end_to_end"};

Palette palette_of(const BenchReport& report) {
  Palette palette;
  for (const Contest& contest : report.contests) {
    for (const Entrant& entrant : contest.entrants) {
      if (std::ranges::find(palette, entrant.backend) == palette.end()) palette.push_back(entrant.backend);
    }
  }
  return palette;
}

std::string title_of(const Contest& contest) {
  std::string title = contest.program;
  for (const auto& [name, value] : contest.point) title += ", " + name + " = " + std::to_string(value);
  return title;
}

// ---- tables ----

struct VerdictCell {
  std::string word;  // the class of the cell, too
  std::string text;
  std::string detail = {};
};

VerdictCell verdict_cell(const Contest& contest, const Entrant& entrant) {
  const std::string state(to_string(entrant.state));
  if (entrant.state != EntrantState::kTimed) return {state, state, entrant.problem};
  if (entrant.backend == contest.baseline) return {"baseline", "baseline"};
  const auto found = entrant.verdicts.find(kHeadline);
  if (found == entrant.verdicts.end()) return {"", ""};
  const std::string word(to_string(found->second.verdict));
  const bool is_sure = found->second.verdict == Verdict::kFaster || found->second.verdict == Verdict::kSlower;
  const Interval& ratio = found->second.ratio;
  return {word, is_sure ? ratio_text(ratio) : word, ratio_spread(ratio)};
}

bool has(const Contest& contest, Column column) {
  return std::ranges::any_of(contest.entrants,
                             [&](const Entrant& entrant) { return entrant.columns.contains(column); });
}

void write_header(HtmlWriter& html, const Contest& contest) {
  html.open("tr").element("th", "backend").element("th", "verdict");
  for (const ColumnInfo& column : columns()) {
    if (has(contest, column.column))
      html.element("th", column.title, R"(class="number")" + attribute("title", column.definition));
  }
  html.close("tr");
}

void write_number(HtmlWriter& html, Column column, const Interval& interval) {
  html.element("div", figure(column, interval.median));
  html.element("div", spread(column, interval), R"(class="plus")");
}

void write_row(HtmlWriter& html, const Contest& contest, const Entrant& entrant) {
  const VerdictCell verdict = verdict_cell(contest, entrant);
  html.open("tr", attribute("data-backend", entrant.backend));
  html.open("td").text(entrant.backend);
  html.element("div", entrant.tier.empty() ? entrant.target : entrant.target + ", tier " + entrant.tier,
               R"(class="plus")");
  html.close("td").open("td", attribute("class", verdict.word)).element("div", verdict.text, R"(class="word")");
  html.element("div", verdict.detail, R"(class="plus")").close("td");
  for (const ColumnInfo& column : columns()) {
    if (!has(contest, column.column)) continue;
    const auto found = entrant.columns.find(column.column);
    html.open("td", R"(class="number")");
    if (found != entrant.columns.end()) write_number(html, column.column, found->second.interval);
    html.close("td");
  }
  html.close("tr");
}

void write_table(HtmlWriter& html, const Contest& contest) {
  html.open("div", R"(class="wide")").open("table", R"(class="verdicts")");
  write_header(html, contest);
  for (const Entrant& entrant : contest.entrants) write_row(html, contest, entrant);
  html.close("table").close("div");
}

// ---- a contest ----

void write_bars(HtmlWriter& html, const Contest& contest, const Palette& palette) {
  html.open("div", R"(class="pictures")");
  for (const std::string_view name : kBarColumns) {
    const Column column = *column_named(name);
    const std::string picture = picture_bars(contest, column, palette);
    if (picture.empty()) continue;
    html.open("figure", R"(class="bars")").element("figcaption", info(column).title).raw(picture).close("figure");
  }
  html.close("div");
}

/// Texts that several have are kept once, where they come first.
using Texts = std::map<std::string, std::string>;

void write_text(HtmlWriter& html, const std::string& title, const std::string& text, Texts& known) {
  if (text.empty()) return;
  const auto [found, is_new] = known.emplace(text, title);
  if (!is_new && found->second == title) return;  // at another point of an axis
  html.open("details").element("summary", is_new ? title : title + " (the same as: " + found->second + ")");
  if (is_new) html.element("pre", text);
  html.close("details");
}

std::string percent(double part) { return std::to_string(std::lround(100 * part)) + " %"; }

void write_notes(HtmlWriter& html, const Contest& contest) {
  if (!contest.baseline.empty()) {
    html.element("p", "Baseline " + contest.baseline + "; results checked against " + contest.reference + ".",
                 R"(class="faint")");
  }
  for (const Entrant& entrant : contest.entrants) {
    for (const std::string& remark : entrant.remarks)
      html.element("p", entrant.backend + ": " + remark + ".", R"(class="faint")");
  }
  if (std::abs(contest.host_drift) > kDriftToTell) {
    html.element("p",
                 "The host's clock drifted by " + percent(contest.host_drift) +
                     " meanwhile: ratios hold, times are less sure than they look.",
                 R"(class="ambiguous")");
  }
}

void write_contest(HtmlWriter& html, const Contest& contest, const Palette& palette, Texts& known) {
  html.open("section").element("h2", title_of(contest));
  if (!contest.description.empty()) html.element("p", contest.description);
  write_notes(html, contest);
  write_table(html, contest);
  write_bars(html, contest, palette);
  for (const Entrant& entrant : contest.entrants) {
    const std::string of = " of " + contest.program + " on " + entrant.backend;
    write_text(html, "launcher" + of, entrant.launcher, known);
    write_text(html, "source" + of, entrant.source, known);
  }
  write_text(html, "resolution of " + contest.program, contest.resolution, known);
  html.close("section");
}

// ---- pictures of several contests ----

/// The contests of a program that differ in `axis` alone, by the rest of their point.
using Groups = std::map<std::string, std::vector<const Contest*>>;

Groups groups_of(const BenchReport& report, const std::string& axis) {
  Groups groups;
  for (const Contest& contest : report.contests) {
    if (!contest.point.contains(axis)) continue;
    Contest rest{.program = contest.program, .point = contest.point};
    rest.point.erase(axis);
    groups[title_of(rest)].push_back(&contest);
  }
  return groups;
}

/// Two words with something between.
std::string phrase(std::string_view first, std::string_view between, std::string_view second) {
  return std::string(first).append(between).append(second);
}

void write_scaling(HtmlWriter& html, const BenchReport& report, const Palette& palette) {
  std::map<std::string, Groups> axes;
  for (const Contest& contest : report.contests) {
    for (const auto& [name, value] : contest.point) axes.emplace(name, groups_of(report, name));
  }
  for (const auto& [axis, groups] : axes) {
    for (const auto& [title, contests] : groups) {
      const std::string picture = picture_scaling(contests, axis, palette);
      if (picture.empty()) continue;
      html.open("figure", R"(class="scaling")")
          .element("figcaption", phrase(title, " over ", axis))
          .raw(picture)
          .close("figure");
    }
  }
}

void write_overview(HtmlWriter& html, const BenchReport& report, const Palette& palette) {
  html.open("div", R"(class="pictures")");
  write_scaling(html, report, palette);
  const std::string roofline = picture_roofline(report.contests, palette);
  if (!roofline.empty()) {
    html.open("figure", R"(class="roofline")");
    html.element("figcaption", "Roofline, under the highest rates measured here").raw(roofline).close("figure");
  }
  html.close("div");
}

// ---- the machine ----

void write_facts(HtmlWriter& html, const Json& value, const std::string& name) {
  if (const Json::Object* object = value.as_object()) {
    for (const auto& [key, member] : *object) write_facts(html, member, name.empty() ? key : phrase(name, " ", key));
  } else if (const Json::Array* array = value.as_array()) {
    for (const Json& member : *array) write_facts(html, member, name);
  } else {
    html.element("dt", name).element("dd", value.as_string() != nullptr ? *value.as_string() : dump(value));
  }
}

void write_machine(HtmlWriter& html, const Json& machine) {
  html.open("details", R"(class="machine")").element("summary", "the machine and its versions").open("dl");
  write_facts(html, machine, "");
  html.close("dl").close("details");
}

void write_definitions(HtmlWriter& html) {
  html.open("details").element("summary", "what the columns mean").open("dl");
  for (const ColumnInfo& column : columns()) html.element("dt", column.title).element("dd", column.definition);
  html.element("dt", "verdict")
      .element(
          "dd",
          "Of " + std::string(info(kHeadline).title) +
              ", from the median of the ratios of the same rounds: faster or slower if it surely differs by more "
              "than 1 %, same if it surely differs by less than 2 %, else ambiguous. Wrong words: at most 1 in 100.");
  html.close("dl").close("details");
}

}  // namespace

std::string html_of(const BenchReport& report) {
  const Palette palette = palette_of(report);
  HtmlWriter html;
  html.raw(
      "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  html.element("title", "kmux bench").open("style").raw(bench_page_style).close("style").raw("</head>\n<body>\n");
  html.element("h1", "Backends against each other");
  write_machine(html, report.machine);
  write_definitions(html);
  write_overview(html, report, palette);
  Texts known;
  for (const Contest& contest : report.contests) write_contest(html, contest, palette, known);
  return html.raw("</body>\n</html>\n").str();
}

}  // namespace bench
}  // namespace kmux
