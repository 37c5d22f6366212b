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

/// A thread that works on a state of its own until that ends. It begins when it is first needed.
///
/// Threads:  under the mutex of the state.
/// Lifetime: the state is the thread's, too: in a forked child, where the thread is not, it is never torn down.
class OwnedThread {
 public:
  struct State {
    virtual ~State() = default;
    /// Returns once `ends`.
    virtual void work() = 0;

    std::mutex mutex;
    std::condition_variable changed;
    bool ends = false;
  };

  /// Does this process have the thread, started now if need be? At a limit of the system it has none, and the next call
  /// tries again.
  bool start(const std::shared_ptr<State>& state, const char* fault_point_name);
  /// Waits until the thread has returned from `work`. Not under the mutex.
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
