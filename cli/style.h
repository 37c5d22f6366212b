#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kmux::cli {

/// Returns `text` with a style if stdout is a terminal and NO_COLOR is not set; else unchanged. The style marks have no
/// width, cannot be forged, and become terminal commands only in `for_terminal`.
enum class Style { kBold, kGood, kBad, kFaint };
std::string styled(Style style, const std::string& text);

/// Returns `text` for a terminal: escaped by `printable`, with the styles of `styled`.
std::string for_terminal(std::string_view text);

/// Returns a size: "812 B", "5.7 KiB", "1.2 GiB".
std::string bytes_text(std::uint64_t bytes);

/// Returns the words separated by `between`.
std::string joined(const std::vector<std::string>& words, std::string_view between);

/// Returns true if stderr is a terminal that can return to the start of a line.
bool can_draw_on_stderr();

/// Writes `text` unchanged: the caller must pass untrusted text through `printable` first.
void write_to_stderr(const std::string& text);

/// Returns the current number of characters per line; 80 if unknown.
std::size_t width_of_stderr();

}  // namespace kmux::cli
