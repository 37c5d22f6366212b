#include "picture_grid.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace kmux::bench {

void PictureGrid::draw(HtmlWriter& svg, const PictureAxis& x, const PictureAxis& y, const std::string& title,
                       std::string (*name_of)(double)) {
  for (const double tick : x.ticks()) {
    svg.element("text", tick_text(tick),
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

constexpr std::size_t kColours = 8;  // of the page's style
constexpr double kTicks = 5;

/// 1, 2 or 5 times a power of ten, not less than `step`.
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
  if (scale_ == Scale::kLinear) {
    const double step = round_step((high_ - low_) / kTicks);
    for (double tick = std::ceil(low_ / step) * step; tick <= high_ * (1 + 1e-9); tick += step) ticks.push_back(tick);
    return ticks;
  }
  const double base = high_ / low_ > 100 ? 10 : 2;
  for (double tick = std::pow(base, std::ceil(std::log(low_) / std::log(base) - 1e-9)); tick <= high_ * (1 + 1e-9);
       tick *= base) {
    ticks.push_back(tick);
  }
  return ticks;
}

std::string tick_text(double value) {
  constexpr std::array<const char*, 5> kSuffixes = {"", "k", "M", "G", "T"};
  std::size_t suffix = 0;
  while (value >= (suffix == 0 ? 10000 : 1000) && suffix + 1 < kSuffixes.size()) {
    value /= 1000;
    ++suffix;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), suffix == 0 ? "%.4g%s" : "%.3g%s", value, kSuffixes[suffix]);
  return text.data();
}

std::string colour(std::size_t index) { return "var(--c" + std::to_string(index % kColours) + ")"; }

}  // namespace kmux::bench
