#include "kmux/bench/report_html.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "benchmark_table.h"
#include "contest_section.h"
#include "html_writer.h"
#include "machine_facts.h"
#include "overview.h"
#include "pictures.h"
#include "text_shelf.h"

namespace kmux {

extern const std::string_view bench_page_style;  // page/style.css

namespace bench {
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

/// The contests of a program that differ in `axis` alone, by the rest of their point.
using Groups = std::map<std::string, std::vector<const Contest*>>;

Groups groups_of(const BenchReport& report, const std::string& axis) {
  Groups groups;
  for (const Contest& contest : report.contests) {
    if (!contest.point.contains(axis)) continue;
    Contest rest{.program = contest.program, .point = contest.point, .origin = contest.origin};
    rest.point.erase(axis);
    groups[title_of(rest)].push_back(&contest);
  }
  return groups;
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
      html.open("figure", R"(class="scaling")");
      html.element("figcaption", std::string(title).append(" over ").append(axis)).raw(picture).close("figure");
    }
  }
}

/// The colours of those who have a mark in the roofline.
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
  html.element("p", machine_line(report.machine), R"(class="faint")").close("header");
  html.open("main");
  write_overview(html, report, palette);
  write_benchmarks(html, report, palette);
  write_pictures(html, report, palette);
  write_machine(html, report.machine);
  write_definitions(html);
  TextShelf texts(report);
  std::string last_absent;
  for (std::size_t i = 0; i < report.contests.size(); ++i) {
    if (is_of_program(report.contests[i])) write_contest(html, report.contests[i], i, palette, texts, last_absent);
  }
  return html.close("main").raw("</body>\n</html>\n").str();
}

}  // namespace bench
}  // namespace kmux
