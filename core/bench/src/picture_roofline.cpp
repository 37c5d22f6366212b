#include <algorithm>
#include <cstdio>
#include <map>

#include "kmux/bench/figure.h"

#include "contest_section.h"
#include "html_writer.h"
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

namespace {

constexpr double kThinnest = 2;

struct Point {
  double at;
  Interval time;
};
using Lines = std::map<std::string, std::vector<Point>>;

Lines lines_of(std::span<const Contest* const> contests, const std::string& axis) {
  Lines lines;
  for (const Contest* contest : contests) {
    for (const Entrant& entrant : contest->entrants) {
      const auto found = entrant.columns.find(headline_of(*contest));
      if (found == entrant.columns.end()) continue;
      lines[entrant.backend].push_back({static_cast<double>(contest->point.at(axis)), found->second.interval});
    }
  }
  for (auto& [backend, points] : lines) std::ranges::sort(points, {}, &Point::at);
  return lines;
}

struct Range {
  double low = 1e300;
  double high = 0;
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

std::string time_text(double time) { return figure(kHeadline, time); }

std::string pair_text(double x, double y) {
  char text[48];
  std::snprintf(text, sizeof text, "%.1f,%.1f ", x, y);
  return text;
}

void draw_line(HtmlWriter& svg, const PictureAxis& x, const PictureAxis& y, const std::vector<Point>& points,
               const std::string& paint, double thickness) {
  std::string path;
  for (const Point& point : points) path += pair_text(x.pixel(point.at), y.pixel(point.time.median));
  svg.open("polyline", attribute("points", path) + attribute("style", "fill:none;stroke:" + paint) +
                           attribute("stroke-width", thickness));
  svg.close("polyline");
  for (const Point& point : points) {
    svg.open("line", attribute("x1", x.pixel(point.at)) + attribute("x2", x.pixel(point.at)) +
                         attribute("y1", y.pixel(point.time.low)) + attribute("y2", y.pixel(point.time.high)) +
                         attribute("style", "stroke-width:6;stroke:" + paint));
    svg.close("line");
    svg.open("circle", attribute("cx", x.pixel(point.at)) + attribute("cy", y.pixel(point.time.median)) +
                           attribute("r", 3.0) + attribute("style", "fill:" + paint));
    svg.close("circle");
  }
}

}  // namespace

std::string picture_scaling(std::span<const Contest* const> contests, const std::string& axis, const Palette& palette) {
  const Lines lines = lines_of(contests, axis);
  Range at;
  Range time;
  for (const auto& [backend, points] : lines) {
    for (const Point& point : points) {
      at.take(point.at);
      time.take(point.time.low);
      time.take(point.time.high);
    }
  }
  if (lines.empty() || at.low <= 0 || at.high <= at.low || time.low <= 0) return "";
  const PictureAxis x(PictureAxis::Scale::kLog, at.low, at.high, PictureGrid::kLeft + 8, PictureGrid::kWidth - 24);
  const PictureAxis y(PictureAxis::Scale::kLog, time.low / 1.5, time.high * 1.5,
                      PictureGrid::kHeight - PictureGrid::kBottom, 24);
  HtmlWriter svg;
  svg.open("svg", R"(viewBox="0 0 520 300" role="img")" + attribute("aria-label", "time over " + axis));
  PictureGrid::draw(svg, x, y, axis, time_text);
  double legend = PictureGrid::kLeft;
  double thickness =
      kThinnest + 2 * static_cast<double>(lines.size() - 1);  // a line that hides another leaves its edges
  for (std::size_t i = 0; i < palette.size(); ++i) {
    const auto found = lines.find(palette[i]);
    if (found == lines.end()) continue;
    draw_line(svg, x, y, found->second, colour(i), thickness);
    thickness = std::max(kThinnest, thickness - 2);
    svg.open("circle", attribute("cx", legend + 4) + attribute("cy", 8.0) + attribute("r", 4.0) +
                           attribute("style", "fill:" + colour(i)));
    svg.close("circle").element("text", palette[i], attribute("x", legend + 12) + attribute("y", 12.0));
    legend += 32 + 7.5 * static_cast<double>(palette[i].size());
  }
  return svg.close("svg").str();
}

}  // namespace kmux::bench
