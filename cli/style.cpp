#include "style.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace kmux::cli {
namespace {

bool colourful() {
  static const bool answer = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return answer;
}

}  // namespace

std::string styled(Style style, const std::string& text) {
  if (!colourful()) return text;
  const char* code = style == Style::kBold ? "1" : style == Style::kGood ? "32" : style == Style::kBad ? "31" : "2";
  return std::string("\033[") + code + "m" + text + "\033[0m";
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : between).append(word);
  return text;
}

std::string duration_text(double nanoseconds) {
  constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  int unit = 0;
  while (nanoseconds >= 1000 && unit < 3) {
    nanoseconds /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s",
                nanoseconds < 10 && unit > 0 ? 2
                : nanoseconds < 100          ? 1
                                             : 0,
                nanoseconds, kUnits[unit]);
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
