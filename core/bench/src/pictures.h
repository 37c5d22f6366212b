#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kmux/bench/bench_report.h"

#include "html_writer.h"

namespace kmux::bench {

/// Maps a range of values to a range of pixels, linearly or logarithmically.
class PictureAxis {
 public:
  enum class Scale { kLinear, kLog };
  /// Maps `low` to `high`, which must be positive for kLog. An empty range is widened.
  PictureAxis(Scale scale, double low, double high, double from_pixel, double to_pixel);

  double pixel(double value) const;
  /// Returns round values within the range, in steps of 1, 2 and 5: about five of a linear axis. A wide logarithmic one
  /// has powers of ten alone.
  std::vector<double> ticks() const;

 private:
  Scale scale_;
  double low_;
  double high_;
  double from_;
  double to_;
};

/// Returns the label of a number on an axis: "4096", "0.5", "1.6M".
std::string tick_text(double value);

/// Returns the CSS colour of backend number `index`, the same in every picture of a page.
std::string colour(std::size_t index);

/// The frame of a large picture with two axes: its position, its grid and its tick labels.
struct PictureGrid {
  static constexpr double kWidth = 520;
  static constexpr double kHeight = 300;
  static constexpr double kLeft = 74;
  static constexpr double kBottom = 34;

  /// Draws the grid. `title` labels the horizontal axis, `ticks` are its values in order, of which those that would
  /// overlap are left out. `name_of` returns the label of a tick of the vertical one.
  static void draw(HtmlWriter& svg, const PictureAxis& x, const std::vector<double>& ticks, const PictureAxis& y,
                   const std::string& title, std::string (*name_of)(double));
};

/// The backends in the order of a page's colours.
using Palette = std::vector<std::string>;

std::size_t index_in(const Palette& palette, const std::string& backend);

/// Returns an SVG with a bar and interval for each backend; empty if the column has none.
std::string picture_bars(const Contest& contest, Column column, const Palette& palette);

/// Returns an SVG of the headline column over `axis`, a line a backend, with logarithmic scales. `contests` must belong
/// to one program and differ only in that axis. Empty for fewer than two points.
std::string picture_scaling(std::span<const Contest* const> contests, const std::string& axis, const Palette& palette);

/// Returns an SVG of operations a second over operations a byte, under the highest measured rates. It has a mark for
/// each backend of each contest that declares both. Empty if no contest does.
std::string picture_roofline(std::span<const Contest> contests, const Palette& palette);

/// Returns an SVG of each backend's time over the baseline's with its interval, a line a backend. The scale is
/// logarithmic from 1 / `widest` to `widest`, with the baseline in the middle. Empty if no backend has a verdict.
std::string picture_ratios(const Contest& contest, double widest, const Palette& palette);

/// Returns the largest ratio, in either direction, between a time of the contest and the baseline's: at least 1.
double widest_ratio(const Contest& contest);

}  // namespace kmux::bench
