#pragma once

#include <string>

#include "html_writer.h"
#include "picture_axis.h"

namespace kmux::bench {

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
