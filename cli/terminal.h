#pragma once

#include <cstddef>
#include <string>

namespace kmux::cli {

/// Is stderr a terminal that can go back to the start of a line?
bool can_draw_on_stderr();

void write_to_stderr(const std::string& text);

/// How many characters a line has now; 80 where nobody knows.
std::size_t width_of_stderr();

}  // namespace kmux::cli
