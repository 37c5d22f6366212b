#include "background.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "kmux/plugin/start_thread.h"

#include "compile_scope.h"
#include "fork_guard.h"
#include "host_api.h"

namespace kmux {
namespace {

void run(const Background::Job& job) noexcept {
  try {
    job();
  } catch (...) {  // NOLINT(bugprone-empty-catch): out of memory; dropping the job wakes what waited for it
  }
}

/// Makes compilers be killed and waits for workers end, once `stopped`.
class BackgroundScope final : public CompileScope {
 public:
  explicit BackgroundScope(const std::atomic<bool>& stopped) : stopped_(stopped) {}
  Result<std::shared_ptr<void>> admit(const std::string&, bool) override {
    if (is_cancelled()) return cancellation("it was not compiled (its runtime ended).");
    return std::shared_ptr<void>();
  }
  bool has_neighbours() const override { return false; }
  Limit time_left() const override { return std::nullopt; }
  bool is_cancelled() const override { return stopped_.load() || is_stopping(); }
  void took_memory(std::uint64_t) override {}

 private:
  const std::atomic<bool>& stopped_;
};

Error left_running() {
  return make_error(ErrorCode::kUnavailable,
                    "the kernel stays as it was compiled first (its runtime ended while the better code was compiled). "
                    "Keep the runtime, or compile with the option tier=full.");
}

}  // namespace

/// The state shared by the thread and its object, which may be destroyed first.
struct Background::State {
  struct Posted {
    Job job;
    Abandon abandon;
    const void* owner = nullptr;
  };

  std::mutex mutex;
  ForkGuard guard{mutex};
  std::condition_variable changed;
  std::list<Posted> jobs;
  const Posted* running = nullptr;
  std::atomic<bool> stopped{false};
  bool ended = true;  // no thread, or it no longer touches this state
  std::thread thread;
  const std::uint64_t generation = fork_generation();

  bool is_forked() const { return generation != fork_generation(); }

  void work() {
    BackgroundScope scope(stopped);
    const CompileScope::Entered entered(scope);
    std::unique_lock lock(mutex);
    while (changed.wait(lock, [this] { return stopped || !jobs.empty(); }), !stopped) {
      Posted next = std::move(jobs.front());
      jobs.pop_front();
      running = &next;
      lock.unlock();
      run(next.job);
      lock.lock();
      running = nullptr;
      lock.unlock();
      next = {};  // its destructor may be slow, so not under the lock
      lock.lock();
    }
    ended = true;
    changed.notify_all();
  }

  /// Starts the thread if it is not running. The caller must hold the lock.
  Status start(const std::shared_ptr<State>& self) {
    if (!ended) return Ok{};
    KMUX_ASSIGN(thread, start_thread([self] { self->work(); }));
    ended = false;
    return Ok{};
  }
};

Background::Background() : state_(std::make_shared<State>()) {}

std::shared_ptr<Background> Background::make() {
  std::shared_ptr<Background> made(new Background);
  made->self_ = made;
  return made;
}

Background::~Background() {
  stop();
  if (!state_->is_forked()) return;
  // The thread that waits in the state does not exist in this child, so the state must not be destroyed: this owner
  // leaks it.
  alignas(std::shared_ptr<State>) std::array<std::byte, sizeof(std::shared_ptr<State>)> holder;
  ::new (holder.data()) std::shared_ptr(state_);
}

void Background::post(Job job, Abandon abandon, const void* owner) {
  if (state_->is_forked()) return;
  std::list<State::Posted> refused;  // their destructors may notify others, so not under the lock
  Status started = Ok{};
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stopped) return;
    if (state_->ended) stop_at_exit(self_);
    started = state_->start(state_);
    (started ? state_->jobs : refused).push_back({std::move(job), std::move(abandon), owner});
  }
  state_->changed.notify_one();
  for (const State::Posted& one : refused)
    if (one.abandon) one.abandon(started.error());
}

void Background::hurry(const void* owner) {
  if (state_->is_forked()) return;
  const std::lock_guard lock(state_->mutex);
  state_->jobs.sort([owner](const State::Posted& a, const State::Posted& b) {  // stable
    return a.owner == owner && b.owner != owner;
  });
}

std::function<void()> Background::hurry_for(const void* owner) const {
  return [weak = self_, owner] {
    if (const auto background = weak.lock()) background->hurry(owner);
  };
}

void Background::request_stop() {
  if (state_->is_forked()) return;
  std::list<State::Posted> dropped;  // destroyed outside the lock, as above
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopped = true;
    dropped.swap(state_->jobs);
  }
  state_->changed.notify_all();
}

void Background::await_stop(Clock::time_point end) {
  if (state_->is_forked()) return;
  Abandon abandon;
  std::thread ended;
  {
    std::unique_lock lock(state_->mutex);
    if (!state_->thread.joinable()) return;  // no thread, or already detached
    // A job that releases the last owner of this object cannot wait for itself.
    const bool is_own = state_->thread.get_id() == std::this_thread::get_id();
    const auto has_ended = [this] { return state_->ended; };
    if (!is_own && state_->changed.wait_until(lock, end, has_ended)) {
      ended.swap(state_->thread);
    } else if (!state_->thread.joinable()) {
      return;  // another thread has stopped it first
    } else if (is_own || (state_->running != nullptr && state_->running->abandon)) {
      state_->thread.detach();
      if (!is_own) abandon = state_->running->abandon;
    }
  }
  if (ended.joinable()) ended.join();
  if (abandon) abandon(left_running());
}

void Background::stop() {
  if (state_->is_forked()) return;
  request_stop();
  await_stop(Clock::now() + kExitPatience);
  Clock::time_point end = Clock::now();
  for (;;) {
    {
      const std::lock_guard lock(state_->mutex);
      if (!state_->thread.joinable()) return;
    }
    end += std::chrono::seconds(1);
    await_stop(end);
  }
}

}  // namespace kmux
