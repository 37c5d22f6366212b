#include "publisher.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <sys/resource.h>
#include <unistd.h>

namespace kmux {

struct Publisher::State {
  std::function<void(Publication&)> publish;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Publication> waiting;  // the first is the one being published
  bool ends = false;
  std::atomic<pid_t> process{0};  // that has the thread
};

Publisher::Publisher(std::function<void(Publication&)> publish) : state_(std::make_shared<State>()) {
  state_->publish = std::move(publish);
}

Publisher::~Publisher() {
  if (!thread_.joinable()) return;
  if (is_forked()) {
    thread_.detach();
    return;
  }
  {
    const std::lock_guard guard(state_->mutex);
    state_->ends = true;
  }
  state_->changed.notify_all();
  thread_.join();
}

bool Publisher::is_forked() const { return state_->process != 0 && state_->process != ::getpid(); }

void Publisher::add(Publication publication) {
  if (is_forked()) return;  // the mutex may be locked by a thread that is not here
  {
    const std::lock_guard guard(state_->mutex);
    state_->waiting.push_back(std::move(publication));
    if (!thread_.joinable()) {
      state_->process = ::getpid();
      thread_ = std::thread([state = state_] { work(*state); });
    }
  }
  state_->changed.notify_all();
}

void Publisher::flush() {
  if (is_forked()) return;
  std::unique_lock guard(state_->mutex);
  state_->changed.wait(guard, [this] { return state_->waiting.empty(); });
}

// Who waits for a compiler comes first. On Linux this is the thread's alone; where it is refused, nothing is lost.
void Publisher::stand_back() {
  constexpr int kNice = 10;
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), ::getpriority(PRIO_PROCESS, 0) + kNice);
}

void Publisher::work(State& state) {
  stand_back();
  std::unique_lock guard(state.mutex);
  for (;;) {
    state.changed.wait(guard, [&] { return state.ends || !state.waiting.empty(); });
    if (state.waiting.empty()) return;
    Publication& first = state.waiting.front();  // a deque's items stay where they are
    guard.unlock();
    state.publish(first);
    guard.lock();
    state.waiting.pop_front();
    state.changed.notify_all();
  }
}

}  // namespace kmux
