#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <utility>

#include "kmux/plugin/start_thread.h"

#include "file_descriptor.h"

namespace kmux {

/// A thread that works on its own state until told to end. Started on first use.
///
/// Threads:  callers must hold the mutex of the state, except for `end`.
/// Lifetime: the thread shares ownership of the state. A forked child, which lacks the thread, never destroys it.
class OwnedThread {
 public:
  struct State {
    virtual ~State() = default;
    /// Runs on the thread. Must return once `ends` is true.
    virtual void work() = 0;

    std::mutex mutex;
    std::condition_variable changed;
    bool ends = false;
  };

  /// Returns true if the thread runs, starting it if needed. Returns false at a limit of the system; the next call
  /// tries again.
  bool start(const std::shared_ptr<State>& state, const char* fault_point_name);
  /// Blocks until the thread has returned from `work`. The caller must not hold the mutex.
  void end(State& state);
  bool is_forked() const { return process_ != ::getpid(); }

 private:
  pid_t process_ = ::getpid();
  std::thread thread_;
};

inline bool OwnedThread::start(const std::shared_ptr<State>& state, const char* fault_point_name) {
  if (thread_.joinable()) return true;
  if (fault_point(fault_point_name) != 0) return false;
  if (Result<std::thread> started = start_thread([state] { state->work(); })) thread_ = *std::move(started);
  return thread_.joinable();
}

inline void OwnedThread::end(State& state) {
  if (!thread_.joinable()) return;
  if (is_forked()) {
    thread_.detach();
    return;
  }
  {
    const std::lock_guard guard(state.mutex);
    state.ends = true;
  }
  state.changed.notify_all();
  thread_.join();
}

}  // namespace kmux
