#include "progress_view.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

#include "progress_bar.h"
#include "progress_lines.h"

namespace kmux::cli {
namespace {

void write_to_stderr(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

std::size_t width_of_stderr() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

/// A bar that is drawn again soon after an event that came too early for it, though no other one follows.
class TickingBar final : public ProgressView {
 public:
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
  std::jthread ticker_{[this](const std::stop_token& end) { tick_until(end); }};
};

bool can_draw() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

std::unique_ptr<ProgressView> progress_on_stderr(std::vector<std::string> names) {
  if (can_draw()) return std::make_unique<TickingBar>();
  return std::make_unique<ProgressLines>(write_to_stderr, std::move(names));
}

}  // namespace kmux::cli
