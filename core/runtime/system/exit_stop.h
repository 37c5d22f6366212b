#pragma once

#include <chrono>
#include <memory>

#include "kmux/error.h"

namespace kmux {

/// The total time that process exit waits for objects asked to stop: 100 ms, less a margin for the rest.
inline constexpr std::chrono::milliseconds kExitPatience{80};

/// An object with threads that should end before the process does.
class StopsAtExit {
 public:
  using Clock = std::chrono::steady_clock;
  virtual ~StopsAtExit() = default;
  /// Asks the threads to end. Returns immediately.
  virtual void request_stop() = 0;
  /// Waits for the threads, at most until `end`. Threads that still run then are left running.
  virtual void await_stop(Clock::time_point end) = 0;
};

/// Registers `one` to be stopped at process exit, if it still exists then. Plugins are notified before (`stopping` in
/// the host's table). Objects that a thread may still use then are never destroyed: docs/design/0030-process-end.md.
///
/// Threads: any.
void stop_at_exit(std::weak_ptr<StopsAtExit> one);

/// A call that may start compilers, on any thread. Process exit gives it kExitPatience to kill them.
class ColdCall {
 public:
  ColdCall() noexcept;
  ~ColdCall();
  ColdCall(const ColdCall&) = delete;
  ColdCall& operator=(const ColdCall&) = delete;

  /// Checks that the process is not exiting.
  ///
  /// Errors: unavailable once process exit has begun.
  static Status check();
};

/// Resets the count in a forked child, which has none of its parent's threads.
void forget_cold_calls() noexcept;

}  // namespace kmux
