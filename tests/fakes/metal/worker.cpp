#include "worker.h"

#include <thread>
#include <utility>

namespace kmux::fake_metal {

Worker& Worker::get() {
  static auto* const worker = new Worker;  // its thread ends with the process
  return *worker;
}

Worker::Worker() {
  std::thread([this] { run(); }).detach();
}

void Worker::run() {
  std::unique_lock guard(mutex_);
  while (true) {
    changed_.wait(guard, [this] { return !work_.empty() && !is_held_; });
    const auto work = std::move(work_.front());
    work_.pop_front();
    is_busy_ = true;
    guard.unlock();
    work();
    guard.lock();
    is_busy_ = false;
    changed_.notify_all();
  }
}

void Worker::add(std::function<void()> work) {
  const std::lock_guard guard(mutex_);
  work_.push_back(std::move(work));
  changed_.notify_all();
}

void Worker::drain() {
  std::unique_lock guard(mutex_);
  changed_.wait(guard, [this] { return (work_.empty() && !is_busy_) || is_held_; });
}

void Worker::hold(bool held) {
  const std::lock_guard guard(mutex_);
  is_held_ = held;
  changed_.notify_all();
}

void Worker::wait(const std::function<bool()>& done) {
  std::unique_lock guard(mutex_);
  changed_.wait(guard, done);
}

}  // namespace kmux::fake_metal
