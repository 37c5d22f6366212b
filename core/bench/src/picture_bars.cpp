#include <algorithm>

#include "kmux/bench/figure.h"

#include "contest_section.h"
#include "html_writer.h"
#include "picture_grid.h"
#include "pictures.h"

namespace kmux::bench {
namespace {

constexpr double kBarsWidth = 320;
constexpr double kBarsRow = 40;

void draw_bar(HtmlWriter& svg, const PictureAxis& axis, const Interval& interval, double y, const std::string& fill) {
  const double end = axis.pixel(interval.median);
  svg.open("rect", attribute("y", y + 18) + attribute("width", end) + attribute("style", "fill:" + fill));
  svg.close("rect");
  svg.open("line", attribute("class", "whisker") + attribute("x1", axis.pixel(interval.low)) +
                       attribute("x2", axis.pixel(interval.high)) + attribute("y1", y + 25) + attribute("y2", y + 25));
  svg.close("line");
}

}  // namespace

std::size_t index_in(const Palette& palette, const std::string& backend) {
  return static_cast<std::size_t>(std::ranges::find(palette, backend) - palette.begin());
}

std::string picture_bars(const Contest& contest, Column column, const Palette& palette) {
  std::vector<const Entrant*> shown;
  double most = 0;
  for (const Entrant& entrant : contest.entrants) {
    const auto found = entrant.columns.find(column);
    if (found == entrant.columns.end()) continue;
    shown.push_back(&entrant);
    most = std::max(most, found->second.interval.high);
  }
  if (shown.empty()) return "";
  const PictureAxis axis(PictureAxis::Scale::kLinear, 0, most, 0, kBarsWidth);
  HtmlWriter svg;
  const double height = kBarsRow * static_cast<double>(shown.size());
  svg.open("svg", R"(viewBox="0 0 )" + tick_text(kBarsWidth) + " " + tick_text(height) + R"(" role="img")" +
                      attribute("aria-label", std::string(info(column).title) + " of each backend"));
  double y = 0;
  for (const Entrant* entrant : shown) {
    const Interval& interval = entrant->columns.at(column).interval;
    svg.element("text", entrant->backend, attribute("y", y + 13));
    svg.element("text", figure(column, interval.median) + "  " + spread(column, interval),
                attribute("x", kBarsWidth) + attribute("y", y + 13) + R"( class="value")");
    draw_bar(svg, axis, interval, y, colour(index_in(palette, entrant->backend)));
    y += kBarsRow;
  }
  return svg.close("svg").str();
}

namespace {

constexpr double kRatiosWidth = 260;
constexpr double kRatiosRow = 15;
constexpr double kMargin = 8;

struct Row {
  std::string backend;
  Interval ratio;
};

std::vector<Row> rows_of(const Contest& contest) {
  std::vector<Row> rows;
  for (const Entrant& entrant : contest.entrants) {
    const auto found = entrant.verdicts.find(headline_of(contest));
    if (found != entrant.verdicts.end()) rows.push_back({entrant.backend, found->second.ratio});
  }
  return rows;
}

void draw_line(HtmlWriter& svg, double x1, double x2, double y1, double y2, const std::string& attributes) {
  svg.open("line", attribute("x1", x1) + attribute("x2", x2) + attribute("y1", y1) + attribute("y2", y2) + attributes);
  svg.close("line");
}

}  // namespace

double widest_ratio(const Contest& contest) {
  double widest = 1;
  for (const Row& row : rows_of(contest)) {
    if (row.ratio.low > 0) widest = std::max({widest, row.ratio.high, 1 / row.ratio.low});
  }
  return widest;
}

std::string picture_ratios(const Contest& contest, double widest, const Palette& palette) {
  const std::vector<Row> rows = rows_of(contest);
  if (rows.empty()) return "";
  const PictureAxis axis(PictureAxis::Scale::kLog, 1 / widest, widest, kMargin, kRatiosWidth - kMargin);
  const double height = kRatiosRow * static_cast<double>(rows.size());
  HtmlWriter svg;
  svg.open("svg", R"(class="ratios" viewBox="0 0 )" + tick_text(kRatiosWidth) + " " + tick_text(height) +
                      R"(" role="img")" +
                      attribute("aria-label", "time over the baseline's, the baseline in the middle"));
  draw_line(svg, kRatiosWidth / 2, kRatiosWidth / 2, 0, height, R"( class="middle")");
  double y = kRatiosRow / 2;
  for (const Row& row : rows) {
    const std::string paint = colour(index_in(palette, row.backend));
    svg.open("g").element("title", row.backend + ": " + ratio_text(row.ratio) + " (" + ratio_spread(row.ratio) + ")");
    draw_line(svg, kRatiosWidth / 2, axis.pixel(row.ratio.median), y, y,
              attribute("style", "stroke-width:5;opacity:.35;stroke:" + paint));
    draw_line(svg, axis.pixel(row.ratio.low), axis.pixel(row.ratio.high), y, y,
              attribute("style", "stroke-width:2;stroke:" + paint));
    svg.open("circle", attribute("cx", axis.pixel(row.ratio.median)) + attribute("cy", y) + attribute("r", 4.0) +
                           attribute("style", "fill:" + paint));
    svg.close("circle").close("g");
    y += kRatiosRow;
  }
  return svg.close("svg").str();
}

}  // namespace kmux::bench
