#include "progress_bar.h"

#include "kmux/plugin/words.h"

#include "bar_line.h"

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

}  // namespace kmux::cli
