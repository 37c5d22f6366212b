#pragma once

#include <atomic>
#include <chrono>

namespace kmux {

/// Keeps callers from somebody who failed: after a failure nobody asks for `rest`, then one caller tries.
///
/// Threads: any; without a lock, so that a forked child cannot hang in it.
class CircuitBreaker {
 public:
  using Clock = std::chrono::steady_clock;

  explicit CircuitBreaker(Clock::duration rest) : rest_(rest) {}

  /// May this caller call? If so, it must report how that ended: `succeeded`, `failed` or `not_tried`.
  bool allows(Clock::time_point now = Clock::now());
  void succeeded();
  /// The caller that was allowed to did not call: the next one may.
  void not_tried(Clock::time_point now = Clock::now());
  /// Is a warning due? Once in `rest`.
  bool failed(Clock::time_point now = Clock::now());

 private:
  static Clock::rep ticks(Clock::time_point time) { return time.time_since_epoch().count(); }

  Clock::duration rest_;
  std::atomic<Clock::rep> try_again_{0};  // 0: it works
  std::atomic<Clock::rep> warn_again_{0};
};

}  // namespace kmux
