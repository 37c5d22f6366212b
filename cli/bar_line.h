#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace kmux::cli {

/// "[#####...............]" for a part of 0.25.
std::string bar_of(double part);

/// "45 s", "3 min 05 s", "2 h 10 min".
std::string time_left_text(std::chrono::milliseconds left);

/// What draws `text` over the line that stands there, cut so that it does not wrap on a terminal of `width`.
std::string drawn_over(const std::string& text, std::size_t width);

/// `text` in at most `width` characters, "..." at its end if there were more.
std::string cut(const std::string& text, std::size_t width);

/// What takes away a line that was drawn.
std::string wiped();

}  // namespace kmux::cli
