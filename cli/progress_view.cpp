#include "progress_view.h"

#include <algorithm>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include "kmux/plugin/printable.h"
#include "kmux/plugin/start_thread.h"
#include "kmux/plugin/word_list.h"

#include "base/duration_text.h"
#include "style.h"

namespace kmux::cli {
namespace {

/// A bar that also redraws on a timer, so that an update that came too early is shown although no other follows.
class TickingBar final : public ProgressView {
 public:
  TickingBar() {
    auto started = start_thread<std::jthread>([this](const std::stop_token& end) { tick_until(end); });
    if (started) ticker_ = *std::move(started);  // else only events redraw
  }
  void show(const CompileProgress& event) override {
    const std::lock_guard lock(mutex_);
    bar_.show(event);
  }
  void end() override {
    const std::lock_guard lock(mutex_);
    bar_.end();
  }

 private:
  void tick_until(const std::stop_token& end) {
    constexpr std::chrono::milliseconds kPause(50);
    for (; !end.stop_requested(); std::this_thread::sleep_for(kPause)) {
      const std::lock_guard lock(mutex_);
      bar_.tick();
    }
  }

  std::mutex mutex_;
  ProgressBar bar_{write_to_stderr, width_of_stderr};
  std::jthread ticker_;
};

std::string rate_text(double rate) {
  char text[32];
  std::snprintf(text, sizeof text, rate < 10 ? "%.1f/s" : "%.0f/s", rate);
  return text;
}

constexpr std::chrono::milliseconds kRedrawPause(100);  // between two redraws
constexpr std::chrono::seconds kSoonest(2);
constexpr double kSmallest = 0.05;

}  // namespace

std::unique_ptr<ProgressView> progress_on_stderr(std::vector<std::string> names) {
  if (can_draw_on_stderr()) return std::make_unique<TickingBar>();
  return std::make_unique<ProgressLines>(write_to_stderr, std::move(names));
}

namespace {

/// Returns the outcome of the program; empty while it is unfinished.
std::string fate(const CompileProgress& event, const std::vector<std::string>& names) {
  switch (event.step) {
    case JobStep::kQueued:
    case JobStep::kStarted:
    case JobStep::kCompiling:
      break;
    case JobStep::kDone:
      if (event.same_as) return "the same as " + names[*event.same_as];
      if (event.from_cache) return "found in the cache (" + std::string(event.backend) + ")";
      return "compiled with " + std::string(event.backend) + " in " +
             duration_text(static_cast<double>(event.elapsed.count()));
    case JobStep::kFailed:
      return "failed: " + event.error->message;
    case JobStep::kCancelled:
      return "cancelled";
  }
  return {};
}

}  // namespace

void ProgressLines::show(const CompileProgress& event) {
  const std::string text = fate(event, names_);
  if (text.empty()) return;
  write_(printable("[" + std::to_string(++ended_) + "/" + std::to_string(event.counts.total) + "] " +
                   names_[event.index] + ": " + text + "\n"));
}

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
  next_ = now_() + kRedrawPause;
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
  return kToStart + cut(printable(text), width - std::min<std::size_t>(width, 1)) +
         kClearToEnd;  // the last column wraps
}

std::string wiped() { return std::string(kToStart) + kClearToEnd; }

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
