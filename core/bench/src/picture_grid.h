#pragma once

#include <string>
#include <vector>

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

}  // namespace kmux::bench
