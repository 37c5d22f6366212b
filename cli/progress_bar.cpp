#include "progress_bar.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "kmux/plugin/words.h"

namespace kmux::cli {
namespace {

constexpr std::chrono::milliseconds kPause(100);  // between two drawings

std::string rate_text(double rate) {
  char text[32];
  std::snprintf(text, sizeof text, rate < 10 ? "%.1f/s" : "%.0f/s", rate);
  return text;
}

}  // namespace

std::string bar_text(const BarState& state, std::size_t width) {
  const double part = state.total == 0 ? 0 : static_cast<double>(state.done) / static_cast<double>(state.total);
  std::string text = bar_of(part) + " " + std::to_string(state.done) + "/" + std::to_string(state.total);
  if (state.failed != 0) text += "  " + std::to_string(state.failed) + " failed";
  if (state.rate > 0) text += "  " + rate_text(state.rate);
  if (state.eta) text += "  eta " + time_left_text(*state.eta);
  if (!state.running.empty()) text += "  " + join(state.running);
  return cut(text, width);
}

ProgressBar::ProgressBar(std::function<void(const std::string&)> write, std::function<std::size_t()> width,
                         std::function<Clock::time_point()> now)
    : write_(std::move(write)), width_(std::move(width)), now_(std::move(now)) {}

void ProgressBar::show(const CompileProgress& event) {
  const bool runs = event.step == JobStep::kStarted || event.step == JobStep::kCompiling;
  if (!runs) {
    running_.erase(event.index);
  } else if (!event.same_as) {
    running_[event.index] = event.program;
  }
  state_ = {.done = event.counts.finished(),
            .total = event.counts.total,
            .failed = event.counts.failed,
            .rate = event.rate,
            .eta = event.eta};
  has_changed_ = true;
  tick();
}

void ProgressBar::tick() {
  if (!has_changed_ || now_() < next_) return;
  next_ = now_() + kPause;
  state_.running.clear();
  for (const auto& [index, name] : running_) state_.running.push_back(name);
  const std::size_t width = width_();
  write_(drawn_over(bar_text(state_, width), width));
  is_drawn_ = true;
  has_changed_ = false;
}

void ProgressBar::end() {
  if (is_drawn_) write_(wiped());
  is_drawn_ = false;
  has_changed_ = false;
}

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
