#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kmux/bench/bench_report.h"

#include "html_writer.h"

namespace kmux::bench {

/// A range of values laid on a range of pixels, linearly or by the logarithm.
class PictureAxis {
 public:
  enum class Scale { kLinear, kLog };
  /// From `low` to `high`, which for kLog are positive. An empty range is widened.
  PictureAxis(Scale scale, double low, double high, double from_pixel, double to_pixel);

  double pixel(double value) const;
  /// Round values within the range: about five of a linear axis, the powers of ten (or of two) of a logarithmic one.
  std::vector<double> ticks() const;

 private:
  Scale scale_;
  double low_;
  double high_;
  double from_;
  double to_;
};

/// A number on an axis: "4096", "0.5", "1.6M".
std::string tick_text(double value);

/// The colour of backend number `index`, as CSS: the same in every picture of a page.
std::string colour(std::size_t index);

/// The frame of a large picture with two axes: where it lies, its grid and the names of its ticks.
struct PictureGrid {
  static constexpr double kWidth = 520;
  static constexpr double kHeight = 300;
  static constexpr double kLeft = 74;
  static constexpr double kBottom = 34;

  /// `title` stands under the axis that goes to the right; `name_of` says what a tick of the other is called.
  static void draw(HtmlWriter& svg, const PictureAxis& x, const PictureAxis& y, const std::string& title,
                   std::string (*name_of)(double));
};

/// The order of backends in which a page gives colours.
using Palette = std::vector<std::string>;

std::size_t index_in(const Palette& palette, const std::string& backend);

/// A bar for each backend with its interval, as SVG; empty if the column has none.
std::string picture_bars(const Contest& contest, Column column, const Palette& palette);

/// The headline column over `axis`, a line a backend, as SVG; both scales are logarithmic. `contests` are of one program and
/// differ in that axis alone. Empty for fewer than two points.
std::string picture_scaling(std::span<const Contest* const> contests, const std::string& axis, const Palette& palette);

/// Operations a second over operations a byte, a mark for each backend of each contest that declares both, under the
/// highest rates that were measured; as SVG. Empty if no contest does.
std::string picture_roofline(std::span<const Contest> contests, const Palette& palette);

/// The time of each backend over the baseline's with its interval, a line a backend, as SVG; on a logarithmic scale from
/// 1 / `widest` to `widest`, the baseline in the middle. Empty if none is judged.
std::string picture_ratios(const Contest& contest, double widest, const Palette& palette);

/// How far from the baseline's a time of the contest may lie: at least 1.
double widest_ratio(const Contest& contest);

}  // namespace kmux::bench
