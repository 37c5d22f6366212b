#pragma once

#include <functional>
#include <memory>

#include "kmux/error.h"

#include "exit_stop.h"

namespace kmux {

/// One thread for background work, started by the first job.
///
/// Threads:  any.
/// Lifetime: the destructor drops queued jobs and waits for the running one. A job that permits it is left running
///           after kExitPatience. Created with `make`. A forked child has no such thread: jobs posted there are
///           dropped.
class Background final : public StopsAtExit {
 public:
  using Job = std::function<void()>;
  /// Receives the reason why its job will not run, or is left running.
  using Abandon = std::function<void(Error)>;

  static std::shared_ptr<Background> make();
  ~Background() override;
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Runs `job` after the jobs queued before it. Drops it if `stop` was called or no thread can be started. Exceptions
  /// of a job are swallowed. It runs in a CompileScope that `request_stop` cancels.
  ///
  /// With `abandon` the job may be left running, so it must own everything that it uses. `abandon` is then called on
  /// another thread; it is also called if no thread can be started. `owner`, which is only compared, identifies the job
  /// for `hurry`.
  void post(Job job, Abandon abandon = {}, const void* owner = nullptr);
  /// Moves the jobs of `owner` before all other queued jobs.
  void hurry(const void* owner);
  /// Returns a function that calls `hurry` while this object exists.
  std::function<void()> hurry_for(const void* owner) const;

  void request_stop() override;
  void await_stop(Clock::time_point end) override;
  /// Requests a stop and waits for it. Blocks without a limit for a job that must not be left running.
  void stop();
  /// Returns a weak reference, for callers that may outlive this object.
  std::weak_ptr<Background> handle() const { return self_; }

 private:
  struct State;
  Background();

  std::shared_ptr<State> state_;  // shared with the thread
  std::weak_ptr<Background> self_;
};

}  // namespace kmux
