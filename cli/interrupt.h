#pragma once

#include <atomic>
#include <signal.h>
#include <stop_token>
#include <thread>

namespace kmux::cli {

/// Turns Ctrl-C and SIGTERM into a request to stop, while it lives; the second one ends the process as it would have.
///
/// Threads: made before others are started, which inherit that they are not interrupted.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return stop_.get_token(); }
  /// The signal that came, or 0.
  int signal() const { return signal_; }

 private:
  void listen(const std::stop_token& end);

  sigset_t signals_{};
  sigset_t before_{};
  std::stop_source stop_;
  std::atomic<int> signal_ = 0;
  std::jthread listener_;
};

}  // namespace kmux::cli
