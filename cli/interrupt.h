#pragma once

#include <atomic>
#include <signal.h>
#include <stop_token>
#include <thread>

namespace kmux::cli {

/// Turns Ctrl-C and SIGTERM into a stop request while it lives. A second signal ends the process as usual.
///
/// Threads: must be created before other threads start, since they inherit the blocked signals.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return stop_.get_token(); }
  /// Returns the signal that was received, or 0.
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
