#include <algorithm>

#include "kmux/bench/figure.h"

#include "html_writer.h"
#include "picture_axis.h"
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

}  // namespace kmux::bench
