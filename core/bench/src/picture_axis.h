#pragma once

#include <string>
#include <vector>

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

}  // namespace kmux::bench
