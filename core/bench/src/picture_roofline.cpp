#include <algorithm>

#include "html_writer.h"
#include "picture_axis.h"
#include "picture_grid.h"
#include "pictures.h"

namespace kmux::bench {
namespace {

constexpr double kWidth = PictureGrid::kWidth;
constexpr double kHeight = PictureGrid::kHeight;
constexpr double kLeft = PictureGrid::kLeft;
constexpr double kBottom = PictureGrid::kBottom;

struct Mark {
  std::string backend;
  std::string program;
  double intensity;  // operations a byte
  double flop_rate;  // 10^9 a second
  double bytes_rate;
};

std::vector<Mark> marks_of(std::span<const Contest> contests) {
  std::vector<Mark> marks;
  for (const Contest& contest : contests) {
    if (contest.flops <= 0 || contest.bytes <= 0) continue;
    for (const Entrant& entrant : contest.entrants) {
      const auto flops = entrant.columns.find(Column::kFlopRate);
      const auto bytes = entrant.columns.find(Column::kBytesRate);
      if (flops == entrant.columns.end() || bytes == entrant.columns.end()) continue;
      marks.push_back({entrant.backend, contest.program, contest.flops / contest.bytes, flops->second.interval.median,
                       bytes->second.interval.median});
    }
  }
  return marks;
}

void draw_roof(HtmlWriter& svg, const PictureAxis& x, const PictureAxis& y, double from, double to, double bytes_rate,
               double flop_rate) {
  const double ridge = std::clamp(flop_rate / bytes_rate, from, to);
  const auto line = [&](double x1, double y1, double x2, double y2) {
    svg.open("line", attribute("x1", x.pixel(x1)) + attribute("y1", y.pixel(y1)) + attribute("x2", x.pixel(x2)) +
                         attribute("y2", y.pixel(y2)) + attribute("class", "whisker") + R"( stroke-dasharray="4 3")");
    svg.close("line");
  };
  line(from, from * bytes_rate, ridge, ridge * bytes_rate);
  line(ridge, flop_rate, to, flop_rate);
}

}  // namespace

std::string picture_roofline(std::span<const Contest> contests, const Palette& palette) {
  const std::vector<Mark> marks = marks_of(contests);
  if (marks.empty()) return "";
  const auto [least, most] = std::ranges::minmax_element(marks, {}, &Mark::intensity);
  const auto [slowest, fastest] = std::ranges::minmax_element(marks, {}, &Mark::flop_rate);
  const double bytes_rate = std::ranges::max_element(marks, {}, &Mark::bytes_rate)->bytes_rate;
  const double from = least->intensity / 4;
  const double to = most->intensity * 4;
  const PictureAxis x(PictureAxis::Scale::kLog, from, to, kLeft + 8, kWidth - 16);
  const double floor = std::min(slowest->flop_rate, from * bytes_rate) / 2;
  const PictureAxis y(PictureAxis::Scale::kLog, floor, fastest->flop_rate * 2, kHeight - kBottom, 16);
  HtmlWriter svg;
  svg.open("svg", R"(viewBox="0 0 520 300" role="img" aria-label="roofline")");
  PictureGrid::draw(svg, x, y, "operations a byte; GFLOP/s upwards", tick_text);
  draw_roof(svg, x, y, from, to, bytes_rate, fastest->flop_rate);
  for (const Mark& mark : marks) {
    svg.open("circle", attribute("cx", x.pixel(mark.intensity)) + attribute("cy", y.pixel(mark.flop_rate)) +
                           attribute("r", 5.0) + attribute("style", "fill:" + colour(index_in(palette, mark.backend))));
    svg.element("title", mark.program + " on " + mark.backend);
    svg.close("circle");
  }
  return svg.close("svg").str();
}

}  // namespace kmux::bench
