#include "picture_grid.h"

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

}  // namespace kmux::bench
