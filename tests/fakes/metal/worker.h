#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace kmux::fake_metal {

/// The device's side: runs what was committed, in order, in a thread of its own.
///
/// Threads: any.
class Worker {
 public:
  static Worker& get();
  void add(std::function<void()> work);
  /// Waits until everything that was added is done. Does not return while held.
  void drain();
  void hold(bool held);
  /// Waits until `done` holds, asked after each piece of work.
  void wait(const std::function<bool()>& done);

 private:
  Worker();
  void run();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool is_held_ = false;
  bool is_busy_ = false;
};

}  // namespace kmux::fake_metal
