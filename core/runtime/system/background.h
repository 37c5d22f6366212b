#pragma once

#include <functional>
#include <memory>

#include "kmux/error.h"

#include "exit_stop.h"

namespace kmux {

/// One thread for background work. It begins with the first job.
///
/// Threads:  any.
/// Lifetime: at its end what waits is dropped, and what runs is waited for or, where the job allows it, left alone after
///           kExitPatience. Made with `make`. A child that was forked has no such thread: what is posted there is dropped.
class Background final : public StopsAtExit {
 public:
  using Job = std::function<void()>;
  /// Learns why its job will not be done, or not be waited for.
  using Abandon = std::function<void(Error)>;

  static std::shared_ptr<Background> make();
  ~Background() override;
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Runs `job` after those before it, or drops it if `stop` was called or no thread can be started. What a job throws is
  /// dropped. It runs in a CompileScope that is cancelled by `request_stop`.
  ///
  /// With `abandon` the job may be left running, so it must own all that it uses; `abandon` is called then, on another
  /// thread, or if no thread can be started. `owner`, which is only compared, is what `hurry` names.
  void post(Job job, Abandon abandon = {}, const void* owner = nullptr);
  /// Runs the jobs of `owner` before all others that have not begun.
  void hurry(const void* owner);
  /// Calls `hurry`, while this object is there.
  std::function<void()> hurry_for(const void* owner) const;

  void request_stop() override;
  void await_stop(Clock::time_point end) override;
  /// Both: jobs that may not be left running are waited for however long they take.
  void stop();
  /// This object, for who may outlive it.
  std::weak_ptr<Background> handle() const { return self_; }

 private:
  struct State;
  Background();

  std::shared_ptr<State> state_;  // the thread has it, too
  std::weak_ptr<Background> self_;
};

}  // namespace kmux
