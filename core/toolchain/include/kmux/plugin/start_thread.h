#pragma once

#include <exception>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include "kmux/error.h"

namespace kmux {

/// Starts a thread that runs `work`. All threads of the runtime and its plugins must be started here. A failure
/// (RLIMIT_NPROC, pids.max, memory) is then an error, not an exception in a function that returns a Result.
///
/// `Thread` may be std::jthread. `work` is called once and must not throw. It is lost if no thread can be started: a
/// caller that must run it anyway copies its data first.
/// Errors:  unavailable, with the system's reason.
/// Threads: any.
template <class Thread = std::thread, class Work>
Result<Thread> start_thread(Work&& work) {
  try {
    return Thread(std::forward<Work>(work));
  } catch (const std::exception& failure) {  // std::system_error, or bad_alloc
    return make_error(ErrorCode::kUnavailable, std::string("no thread can be started (") + failure.what() +
                                                   "). Raise the limit on processes, or free memory.");
  }
}

/// Runs work on a separate thread while its owner continues; if no thread can be started, `get` runs it on the owner's.
///
/// Threads: one at a time.   Lifetime: the destructor waits for the work.
template <class T>
class SideWork {
 public:
  /// Starts the work.
  explicit SideWork(std::function<T()> work) : work_(std::move(work)), result_(work_.get_future()) {
    if (auto started = start_thread([this] { work_(); })) thread_ = *std::move(started);
  }
  ~SideWork() {
    if (thread_.joinable()) thread_.join();
  }
  SideWork(const SideWork&) = delete;
  SideWork& operator=(const SideWork&) = delete;

  /// Returns the result of the work, or rethrows its exception. Must be called at most once.
  T get() {
    if (!thread_.joinable()) work_();
    return result_.get();
  }

 private:
  std::packaged_task<T()> work_;
  std::future<T> result_;
  std::thread thread_;
};

}  // namespace kmux
