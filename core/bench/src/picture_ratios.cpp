#include <algorithm>

#include "kmux/bench/figure.h"

#include "html_writer.h"
#include "picture_axis.h"
#include "pictures.h"

namespace kmux::bench {
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
