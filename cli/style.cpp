#include "style.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kmux/plugin/printable.h"
#include "kmux/plugin/unique_id.h"

namespace kmux::cli {
namespace {

bool colourful() {
  static const bool answer = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return answer;
}

char continuation(int bits) { return static_cast<char>(0x80 | bits); }

/// The terminal commands that begin each style, in the order of the enumeration, and the one that ends a style.
constexpr std::array<std::string_view, 5> kCodes = {"\033[1m", "\033[32m", "\033[31m", "\033[2m", "\033[0m"};

/// Returns the mark before the code byte of a style's begin or end: 64 random bits, so that no text of a program can
/// match it. The bytes continue a UTF-8 character, so they have no width.
const std::string& style_mark() {
  static const auto& mark = *new const std::string([] {
    std::string bytes;
    for (const char digit : unique_id().substr(0, 16)) bytes += continuation(digit & 0x3f);
    return bytes;
  }());
  return mark;
}

}  // namespace

std::string styled(Style style, const std::string& text) {
  if (!colourful() || style_mark().empty()) return text;
  return style_mark() + continuation(static_cast<int>(style)) + text + style_mark() + continuation(kCodes.size() - 1);
}

std::string for_terminal(std::string_view text) {
  if (!colourful() || style_mark().empty()) return printable(text);
  std::string shown;
  for (std::size_t end = text.find(style_mark()); end != std::string_view::npos; end = text.find(style_mark())) {
    const std::size_t code = text[end + style_mark().size()] & 0x3f;
    shown.append(printable(text.substr(0, end))).append(kCodes.at(code));
    text.remove_prefix(end + style_mark().size() + 1);
  }
  return shown.append(printable(text));
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : between).append(word);
  return text;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text.data();
}

bool can_draw_on_stderr() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

void write_to_stderr(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

std::size_t width_of_stderr() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

}  // namespace kmux::cli
