#pragma once

#include <exception>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include "kmux/error.h"
#include "kmux/plugin/start_thread.h"

namespace kmux {

/// Starts a thread that does `work`. All threads of the runtime and of its plugins start here, so that one that cannot be
/// started (RLIMIT_NPROC, pids.max, memory) is an error and not an exception that leaves a function with a Result.
///
/// `Thread` may be std::jthread; `work` is called once and must not throw. It is lost if there is no thread: a caller that must do it all the same
/// copies what it needs.
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

/// Work on a thread of its own while its owner does something else; on the owner's, later, if no thread can be started.
///
/// Threads: one uses it.   Lifetime: the destructor waits for the work.
template <class T>
class SideWork {
 public:
  /// Begins the work.
  explicit SideWork(std::function<T()> work) : work_(std::move(work)), result_(work_.get_future()) {
    if (auto started = start_thread([this] { work_(); })) thread_ = *std::move(started);
  }
  ~SideWork() {
    if (thread_.joinable()) thread_.join();
  }
  SideWork(const SideWork&) = delete;
  SideWork& operator=(const SideWork&) = delete;

  /// What the work returned. Throws what it threw. Once.
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
