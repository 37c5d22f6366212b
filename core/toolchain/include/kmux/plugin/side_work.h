#pragma once

#include <functional>
#include <future>
#include <utility>

#include "kmux/plugin/start_thread.h"

namespace kmux {

/// Work on a thread of its own while its owner does something else; on the owner's, later, if no thread can be started.
///
/// Threads: one uses it.   Lifetime: the destructor waits for the work.
template <class T>
class SideWork {
 public:
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
