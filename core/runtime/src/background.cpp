#include "background.h"

#include <utility>

#include "exit_stop.h"

namespace kmux {
namespace {

void run(const Background::Job& job) noexcept {
  try {
    job();
  } catch (...) {  // NOLINT(bugprone-empty-catch): out of memory; what waited for the job hears of it when it is gone
  }
}

}  // namespace

std::shared_ptr<Background> Background::make() {
  std::shared_ptr<Background> made(new Background);
  made->self_ = made;
  return made;
}

void Background::post(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    jobs_.push_back(std::move(job));
    if (!thread_.joinable()) start();
  }
  changed_.notify_one();
}

void Background::start() {
  stop_at_exit(self_);
  thread_ = std::thread([this] { work(); });
}

void Background::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopped_ || !jobs_.empty(); });
    if (stopped_) return;
    const Job job = std::exchange(jobs_.front(), {});
    jobs_.pop_front();
    lock.unlock();
    run(job);
    lock.lock();
  }
}

void Background::stop() {
  std::deque<Job> dropped;  // their destructors may tell others, so not under the lock
  std::thread thread;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    dropped.swap(jobs_);
    thread.swap(thread_);
  }
  changed_.notify_all();
  if (thread.joinable()) thread.join();
}

}  // namespace kmux
