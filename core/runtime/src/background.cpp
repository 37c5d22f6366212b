#include "background.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "host_api.h"

namespace kmux {
namespace {

struct Running {
  std::mutex mutex;
  std::vector<std::weak_ptr<Background>> all;
};

/// Never destroyed: it is used while the process ends.
Running& running() {
  static Running& instance = *new Running;
  return instance;
}

void stop_all() {
  announce_stop();
  std::vector<std::weak_ptr<Background>> all;
  {
    const std::lock_guard lock(running().mutex);
    all.swap(running().all);
  }
  for (const auto& one : all) {
    if (const auto background = one.lock()) background->stop();
  }
}

/// Exit handlers run in reverse: one that is registered now, with the plugins open, runs before the destructors of
/// what their compilers keep, which a job may still be using.
void stop_at_exit(std::weak_ptr<Background> background) {
  const std::lock_guard lock(running().mutex);
  if (running().all.empty()) std::atexit(stop_all);
  running().all.push_back(std::move(background));
}

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
