#include "bar_line.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace kmux::cli {
namespace {

constexpr std::size_t kBarWidth = 20;
constexpr const char* kToStart = "\r";
constexpr const char* kClearToEnd = "\033[K";

}  // namespace

std::string bar_of(double part) {
  const auto full = static_cast<std::size_t>(static_cast<double>(kBarWidth) * std::clamp(part, 0.0, 1.0));
  return "[" + std::string(full, '#') + std::string(kBarWidth - full, '.') + "]";
}

std::string time_left_text(std::chrono::milliseconds left) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(left).count();
  char text[64];
  if (seconds < 60) {
    std::snprintf(text, sizeof text, "%lld s", static_cast<long long>(seconds));
  } else if (seconds < 3600) {
    std::snprintf(text, sizeof text, "%lld min %02lld s", static_cast<long long>(seconds / 60),
                  static_cast<long long>(seconds % 60));
  } else {
    std::snprintf(text, sizeof text, "%lld h %02lld min", static_cast<long long>(seconds / 3600),
                  static_cast<long long>(seconds / 60 % 60));
  }
  return text;
}

std::string cut(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  constexpr std::string_view kMore = "...";
  return width < kMore.size() ? text.substr(0, width) : text.substr(0, width - kMore.size()).append(kMore);
}

std::string drawn_over(const std::string& text, std::size_t width) {
  return kToStart + cut(text, width - std::min<std::size_t>(width, 1)) + kClearToEnd;  // the last column wraps
}

std::string wiped() { return std::string(kToStart) + kClearToEnd; }

}  // namespace kmux::cli
