#include "bench_bar.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "progress_bar.h"

namespace kmux::cli {
namespace {

constexpr std::chrono::milliseconds kRedrawPause(100);  // between two drawings
constexpr std::chrono::seconds kSoonest(2);
constexpr double kSmallest = 0.05;

}  // namespace

std::string bench_text(const BenchState& state) {
  char percent[16];
  std::snprintf(percent, sizeof percent, " %3.0f %%  ", 100 * std::clamp(state.part, 0.0, 1.0));
  std::string text = bar_of(state.part) + percent;
  if (state.left) text += time_left_text(*state.left) + " left  ";
  return text + state.what;
}

std::optional<std::chrono::milliseconds> time_left(double part, std::chrono::milliseconds elapsed) {
  if (elapsed < kSoonest || part < kSmallest) return std::nullopt;
  const double left = static_cast<double>(elapsed.count()) * (1 - part) / part;
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::max(left, 0.0)));
}

BenchBar::BenchBar(std::function<void(const std::string&)> write, std::function<std::size_t()> width,
                   std::function<Clock::time_point()> now)
    : write_(std::move(write)), width_(std::move(width)), now_(std::move(now)), begin_(now_()) {}

BenchBar::~BenchBar() {
  if (is_drawn_) write_(wiped());
}

void BenchBar::show(const std::string& what, double part) {
  const Clock::time_point now = now_();
  if (is_drawn_ && now < next_ && what == state_.what) return;
  next_ = now + kRedrawPause;
  state_.what = what;
  state_.part = std::max(state_.part, part);
  state_.left = time_left(state_.part, std::chrono::duration_cast<std::chrono::milliseconds>(now - begin_));
  write_(drawn_over(bench_text(state_), width_()));
  is_drawn_ = true;
}

}  // namespace kmux::cli
