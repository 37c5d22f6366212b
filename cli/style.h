#pragma once

#include <string>

namespace kmux::cli {

/// `text` in bold, green or red where stdout is a terminal and NO_COLOR is not set; else as it is.
enum class Style { kBold, kGood, kBad, kFaint };
std::string styled(Style style, const std::string& text);

/// A duration with a fitting unit: "812 ns", "5.7 ms", "1.2 s".
std::string duration_text(double nanoseconds);

}  // namespace kmux::cli
