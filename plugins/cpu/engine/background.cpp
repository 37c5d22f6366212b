#include "engine/background.h"

#include <atomic>
#include <cstdlib>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kmux/plugin/start_thread.h"

namespace kmux::cpu {
namespace {

void run(const Background::Job& job) noexcept {
  try {
    job();
  } catch (...) {  // NOLINT(bugprone-empty-catch): out of memory; nobody waits for it
  }
}

}  // namespace

struct Background::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  bool busy = false;
  std::atomic<bool> stopped{false};
  std::thread thread;
  const pid_t process = ::getpid();

  bool is_forked() const { return process != ::getpid(); }

  void work();
  void stop();
};

void Background::State::work() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return stopped || !jobs.empty(); });
    if (stopped) return;
    Job job = std::exchange(jobs.front(), {});
    jobs.pop_front();
    busy = true;
    lock.unlock();
    run(std::exchange(job, {}));
    lock.lock();
    busy = false;
    changed.notify_all();
  }
}

void Background::State::stop() {
  if (is_forked()) return;
  std::deque<Job> dropped;
  std::thread ending;
  {
    const std::lock_guard lock(mutex);
    stopped = true;
    dropped.swap(jobs);
    ending.swap(thread);
  }
  changed.notify_all();
  if (ending.joinable()) ending.join();
}

namespace {

struct Running {
  std::mutex mutex;
  std::vector<std::weak_ptr<Background::State>> all;
};

// Never destroyed: it is used while the process ends.
Running& running() {
  static Running& instance = *new Running;
  return instance;
}

void stop_all() {
  std::vector<std::weak_ptr<Background::State>> all;
  {
    const std::lock_guard lock(running().mutex);
    all.swap(running().all);
  }
  for (const auto& one : all) {
    if (const auto state = one.lock()) state->stop();
  }
}

// Exit handlers run in reverse: registered with the first job, after a compilation, this one runs before the destructors
// of what the compiler keeps.
void stop_at_exit(std::weak_ptr<Background::State> state) {
  const std::lock_guard lock(running().mutex);
  std::atexit(stop_all);
  running().all.push_back(std::move(state));
}

}  // namespace

Background::Background() : state_(std::make_shared<State>()) {}

Background::~Background() {
  if (state_->is_forked()) {
    new std::shared_ptr(state_);  // the thread that waits in it is not here: it is never torn down
    return;
  }
  state_->stop();
}

void Background::post(Job job) {
  if (state_->is_forked()) return;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stopped) return;
    state_->jobs.push_back(std::move(job));
    if (!state_->thread.joinable()) {
      stop_at_exit(state_);
      auto started = start_thread([state = state_] { state->work(); });
      if (!started) {
        state_->jobs.pop_back();
        return;
      }
      state_->thread = *std::move(started);
    }
  }
  state_->changed.notify_all();
}

void Background::wait() {
  if (state_->is_forked()) return;
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->stopped || (state_->jobs.empty() && !state_->busy); });
}

bool Background::stopping() const { return state_->stopped; }

}  // namespace kmux::cpu
