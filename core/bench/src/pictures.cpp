#include "pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "kmux/bench/figure.h"

#include "page_sections.h"

namespace kmux::bench {
namespace {

constexpr double kBarsWidth = 320;
constexpr double kBarsRow = 40;
constexpr double kLine = 15;  // height of a line of text
constexpr double kCharacter = 7;  // width of one, of most fonts

/// Draws a bar 14 pixels high at `y`.
void draw_bar(HtmlWriter& svg, const PictureAxis& axis, const Interval& interval, double y, const std::string& fill) {
  const double end = axis.pixel(interval.median);
  svg.open("rect", attribute("y", y) + attribute("width", end) + attribute("style", "fill:" + fill));
  svg.close("rect");
  svg.open("line", attribute("class", "whisker") + attribute("x1", axis.pixel(interval.low)) +
                       attribute("x2", axis.pixel(interval.high)) + attribute("y1", y + 7) + attribute("y2", y + 7));
  svg.close("line");
}

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
      marks.push_back({entrant.backend, program_text(contest), contest.flops / contest.bytes,
                       flops->second.interval.median, bytes->second.interval.median});
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

void PictureGrid::draw(HtmlWriter& svg, const PictureAxis& x, const std::vector<double>& ticks, const PictureAxis& y,
                       const std::string& title, std::string (*name_of)(double)) {
  double free = 0;  // where the next label may begin
  for (const double tick : ticks) {
    const std::string label = tick_text(tick);
    const double half = kCharacter * static_cast<double>(label.size()) / 2;
    if (x.pixel(tick) - half < free) continue;
    free = x.pixel(tick) + half + kCharacter;
    svg.element("text", label,
                attribute("x", x.pixel(tick)) + attribute("y", kHeight - kBottom + 16) +
                    R"( text-anchor="middle" class="faint")");
  }
  for (const double tick : y.ticks()) {
    svg.open("line", attribute("class", "grid") + attribute("x1", kLeft) + attribute("x2", kWidth) +
                         attribute("y1", y.pixel(tick)) + attribute("y2", y.pixel(tick)));
    svg.close("line");
    svg.element("text", name_of(tick),
                attribute("x", kLeft - 6) + attribute("y", y.pixel(tick) + 4) + R"( text-anchor="end" class="faint")");
  }
  svg.element(
      "text", title,
      attribute("x", (kLeft + kWidth) / 2) + attribute("y", kHeight - 2) + R"( text-anchor="middle" class="faint")");
}

namespace {

constexpr std::size_t kColours = 8;  // in the page's style
constexpr double kTicks = 5;
// Above this, a logarithmic axis has the powers of ten alone; below the other one, linear steps.
constexpr double kWidest = 500;
constexpr double kNarrowest = 4;

/// Returns the smallest 1, 2 or 5 times a power of ten that is at least `step`.
double round_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= step) return factor * power;
  }
  return 10 * power;
}

}  // namespace

PictureAxis::PictureAxis(Scale scale, double low, double high, double from_pixel, double to_pixel)
    : scale_(scale), low_(low), high_(high), from_(from_pixel), to_(to_pixel) {
  if (high_ > low_) return;
  low_ = scale_ == Scale::kLog ? low / 2 : low - 1;
  high_ = scale_ == Scale::kLog ? low * 2 : low + 1;
}

double PictureAxis::pixel(double value) const {
  const double part =
      scale_ == Scale::kLog ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
  return from_ + part * (to_ - from_);
}

std::vector<double> PictureAxis::ticks() const {
  std::vector<double> ticks;
  if (scale_ == Scale::kLinear || high_ / low_ < kNarrowest) {
    const double step = round_step((high_ - low_) / kTicks);
    for (double tick = std::ceil(low_ / step) * step; tick <= high_ * (1 + 1e-9); tick += step) ticks.push_back(tick);
    return ticks;
  }
  const bool is_wide = high_ / low_ > kWidest;
  for (double power = std::pow(10, std::floor(std::log10(low_))); power <= high_; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * power;
      const bool is_shown = factor == 1 || !is_wide;
      if (is_shown && tick >= low_ * (1 - 1e-9) && tick <= high_ * (1 + 1e-9)) ticks.push_back(tick);
    }
  }
  return ticks;
}

std::string tick_text(double value) {
  constexpr std::array<const char*, 5> kSuffixes = {"", "k", "M", "G", "T"};
  std::size_t suffix = 0;
  while (value >= (suffix == 0 ? 100000 : 1000) && suffix + 1 < kSuffixes.size()) {
    value /= 1000;
    ++suffix;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), suffix == 0 ? "%.5g%s" : "%.3g%s", value, kSuffixes[suffix]);
  return text.data();
}

std::string colour(std::size_t index) { return "var(--c" + std::to_string(index % kColours) + ")"; }

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
  const auto value_of = [&](const Entrant* entrant) {
    const Interval& interval = entrant->columns.at(column).interval;
    return on_page(figure(column, interval.median) + "  " + spread(column, interval));
  };
  const bool fits = std::ranges::all_of(shown, [&](const Entrant* entrant) {
    return kCharacter * static_cast<double>(entrant->backend.size() + value_of(entrant).size()) <= kBarsWidth;
  });
  const double below = fits ? 0 : kLine;  // of the number, where it has no place beside the name
  const double row = kBarsRow + below;
  const double height = row * static_cast<double>(shown.size());
  svg.open("svg", R"(viewBox="0 0 )" + tick_text(kBarsWidth) + " " + tick_text(height) + R"(" role="img")" +
                      attribute("aria-label", std::string(info(column).title) + " of each backend"));
  double y = 0;
  for (const Entrant* entrant : shown) {
    svg.element("text", entrant->backend, attribute("y", y + 13));
    svg.element("text", value_of(entrant),
                attribute("x", kBarsWidth) + attribute("y", y + 13 + below) + R"( class="value")");
    draw_bar(svg, axis, entrant->columns.at(column).interval, y + 18 + below,
             colour(index_in(palette, entrant->backend)));
    y += row;
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
  PictureGrid::draw(svg, x, x.ticks(), y, "operations a byte; GFLOP/s upwards", tick_text);
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

struct ScalingPoint {
  double at;
  Interval time;
};
using Lines = std::map<std::string, std::vector<ScalingPoint>>;

Lines lines_of(std::span<const Contest* const> contests, const std::string& axis) {
  Lines lines;
  for (const Contest* contest : contests) {
    for (const Entrant& entrant : contest->entrants) {
      const auto found = entrant.columns.find(headline_of(*contest));
      if (found == entrant.columns.end()) continue;
      lines[entrant.backend].push_back({static_cast<double>(contest->point.at(axis)), found->second.interval});
    }
  }
  for (auto& [backend, points] : lines) std::ranges::sort(points, {}, &ScalingPoint::at);
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

/// Returns the label of a round time: "2 us" for the figure "2.00 us".
std::string time_text(double time) {
  std::string text = figure(kHeadline, time);
  const std::size_t blank = text.find(' ');
  const std::size_t last = text.find_last_not_of('0', blank - 1);  // of the number
  if (text.find('.') < blank)
    text.erase(text[last] == '.' ? last : last + 1, blank - (text[last] == '.' ? last : last + 1));
  return on_page(text);
}

std::string pair_text(double x, double y) {
  char text[48];
  std::snprintf(text, sizeof text, "%.1f,%.1f ", x, y);
  return text;
}

void draw_line(HtmlWriter& svg, const PictureAxis& x, const PictureAxis& y, const std::vector<ScalingPoint>& points,
               const std::string& paint, double thickness) {
  std::string path;
  for (const ScalingPoint& point : points) path += pair_text(x.pixel(point.at), y.pixel(point.time.median));
  svg.open("polyline", attribute("points", path) + attribute("style", "fill:none;stroke:" + paint) +
                           attribute("stroke-width", thickness));
  svg.close("polyline");
  for (const ScalingPoint& point : points) {
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
  std::set<double> measured;
  for (const auto& [backend, points] : lines) {
    for (const ScalingPoint& point : points) {
      at.take(point.at);
      measured.insert(point.at);
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
  PictureGrid::draw(svg, x, {measured.begin(), measured.end()}, y, axis, time_text);
  double legend = PictureGrid::kLeft;
  double thickness =
      kThinnest +
      2 * static_cast<double>(lines.size() - 1);  // decreasing, so that the edges of hidden lines stay visible
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
