#pragma once

#include <chrono>
#include <memory>

#include "kmux/error.h"

namespace kmux {

/// How long the end of the process waits for what was told to stop, in total: 100 ms, less what the rest takes.
inline constexpr std::chrono::milliseconds kExitPatience{80};

/// What has threads that should end before the process does.
class StopsAtExit {
 public:
  using Clock = std::chrono::steady_clock;
  virtual ~StopsAtExit() = default;
  /// Tells them to end, and waits for nothing.
  virtual void request_stop() = 0;
  /// Waits for them, at most until `end`. What still runs then is left alone.
  virtual void await_stop(Clock::time_point end) = 0;
};

/// Has `one` stopped when the process ends, if it still exists then, after telling plugins that they may give up
/// (`stopping` of the host's table). Nothing that a thread may still use then is ever destroyed:
/// docs/design/0030-process-end.md.
///
/// Threads: any.
void stop_at_exit(std::weak_ptr<StopsAtExit> one);

/// A call that may start compilers, on whatever thread: the end of the process gives it kExitPatience to kill them.
class ColdCall {
 public:
  ColdCall() noexcept;
  ~ColdCall();
  ColdCall(const ColdCall&) = delete;
  ColdCall& operator=(const ColdCall&) = delete;

  /// Errors: unavailable once the process ends.
  static Status check();
};

/// For a forked child: the calls of its parent's threads are not here.
void forget_cold_calls() noexcept;

}  // namespace kmux
