#include "progress_view.h"

#include <chrono>
#include <mutex>
#include <stop_token>
#include <thread>

#include "kmux/plugin/start_thread.h"

#include "progress_bar.h"
#include "style.h"

namespace kmux::cli {
namespace {

/// A bar that is drawn again soon after an event that came too early for it, though no other one follows.
class TickingBar final : public ProgressView {
 public:
  TickingBar() {
    auto started = start_thread<std::jthread>([this](const std::stop_token& end) { tick_until(end); });
    if (started) ticker_ = *std::move(started);  // else events alone draw
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

}  // namespace

std::unique_ptr<ProgressView> progress_on_stderr(std::vector<std::string> names) {
  if (can_draw_on_stderr()) return std::make_unique<TickingBar>();
  return std::make_unique<ProgressLines>(write_to_stderr, std::move(names));
}

namespace {

/// What became of the program; empty while it is not known.
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
  write_("[" + std::to_string(++ended_) + "/" + std::to_string(event.counts.total) + "] " + names_[event.index] + ": " +
         text + "\n");
}

}  // namespace kmux::cli
