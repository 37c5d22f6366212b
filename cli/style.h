#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kmux::cli {

/// `text` in bold, green or red where stdout is a terminal and NO_COLOR is not set; else as it is. What marks the style is no command
/// for a terminal before `for_terminal` has made it one, has no width, and cannot be guessed.
enum class Style { kBold, kGood, kBad, kFaint };
std::string styled(Style style, const std::string& text);

/// Returns `text` as it may be written to a terminal: as `printable`, with the styles of `styled`.
std::string for_terminal(std::string_view text);

/// A duration with a fitting unit: "812 ns", "5.7 ms", "1.2 s".
std::string duration_text(double nanoseconds);
/// "812 B", "5.7 KiB", "1.2 GiB".
std::string bytes_text(std::uint64_t bytes);

/// The words with `between` between them.
std::string joined(const std::vector<std::string>& words, std::string_view between);

/// Is stderr a terminal that can go back to the start of a line?
bool can_draw_on_stderr();

/// Writes `text` as it is: what comes from elsewhere goes through `printable` before.
void write_to_stderr(const std::string& text);

/// How many characters a line has now; 80 where that is unknown.
std::size_t width_of_stderr();

}  // namespace kmux::cli
