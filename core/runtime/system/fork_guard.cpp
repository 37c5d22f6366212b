#include "fork_guard.h"

#include <atomic>
#include <chrono>
#include <ctime>
#include <new>
#include <pthread.h>

#include "base/immortal.h"
#include "exit_stop.h"

namespace kmux {
namespace {

/// Returns false if `mutex` stays locked for longer than kMoment. Not std::timed_mutex, which would slow down every
/// other use of the mutex.
bool lock_for_a_moment(std::mutex& mutex) {
  constexpr long kMoment = 10'000'000;  // ns
  constexpr long kSecond = 1'000'000'000;
  timespec end{};
  ::clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += kMoment;
  if (end.tv_nsec >= kSecond) ++end.tv_sec, end.tv_nsec -= kSecond;
  return ::pthread_mutex_timedlock(mutex.native_handle(), &end) == 0;
}

}  // namespace

/// All guards. Never destroyed: threads use guards during process exit.
struct ForkGuards {
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPatience{200};

  std::mutex mutex;
  ForkGuard* first = nullptr;
  std::atomic<std::uint64_t> generation{0};

  static ForkGuards& all() {
    static ForkGuards& instance = immortal<ForkGuards>();
    static const int registered =
        ::pthread_atfork([] { all().take(); }, [] { all().release(); }, [] { all().begin_child(); });
    static_cast<void>(registered);
    return instance;
  }

  /// Locks all mutexes except that of `held`. Returns the guard whose mutex is busy, or null if all are held.
  ForkGuard* try_take_others(const ForkGuard* held) const {
    for (ForkGuard* guard = first; guard != nullptr; guard = guard->next_) {
      if (guard == held) continue;
      guard->is_held_ = guard->mutex_.try_lock();
      if (!guard->is_held_) return guard;
    }
    return nullptr;
  }

  void let_go() const {
    for (ForkGuard* guard = first; guard != nullptr; guard = guard->next_) {
      if (guard->is_held_) guard->mutex_.unlock();
      guard->is_held_ = false;
    }
  }

  /// Locks all mutexes without deadlock in any order: if one is busy, releases all and waits for that one first.
  void take() {
    mutex.lock();
    const Clock::time_point end = Clock::now() + kPatience;
    ForkGuard* missed = try_take_others(nullptr);
    while (missed != nullptr && Clock::now() < end) {
      let_go();
      missed->is_held_ = lock_for_a_moment(missed->mutex_);
      if (missed->is_held_) missed = try_take_others(missed);
    }
  }

  void release() {
    let_go();
    mutex.unlock();
  }

  void begin_child() {
    generation.fetch_add(1);
    for (ForkGuard* guard = first; guard != nullptr; guard = guard->next_)
      if (!guard->is_held_) new (&guard->mutex_) std::mutex;  // its owner thread is not in this process
    release();
    forget_cold_calls();
  }
};

std::uint64_t fork_generation() noexcept { return ForkGuards::all().generation.load(std::memory_order_relaxed); }

ForkGuard::ForkGuard(std::mutex& mutex) : mutex_(mutex) {
  ForkGuards& guards = ForkGuards::all();
  const std::lock_guard lock(guards.mutex);
  next_ = guards.first;
  if (next_ != nullptr) next_->before_ = this;
  guards.first = this;
}

ForkGuard::~ForkGuard() {
  ForkGuards& guards = ForkGuards::all();
  const std::lock_guard lock(guards.mutex);
  (before_ == nullptr ? guards.first : before_->next_) = next_;
  if (next_ != nullptr) next_->before_ = before_;
}

}  // namespace kmux
