#include "remote_lease.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <pthread.h>

#include "base/immortal.h"

namespace kmux {

RemoteLease::RemoteLease(std::shared_ptr<LeaseRenewer> renewer, std::function<void()> renew,
                         std::chrono::milliseconds renew_every, std::function<void()> release)
    : renewer_(std::move(renewer)),
      release_(std::move(release)),
      number_(renewer_->add(std::move(renew), renew_every)) {}

RemoteLease::~RemoteLease() {
  renewer_->remove(number_);
  try {
    release_();
  } catch (...) {  // NOLINT(bugprone-empty-catch): it ends by itself
  }
}

namespace {

/// Never destroyed: the application may open and close caches during process exit.
struct RenewerOfProcess {
  std::mutex mutex;
  std::weak_ptr<LeaseRenewer> renewer;
};

RenewerOfProcess& of_this_process() {
  static RenewerOfProcess& instance = immortal<RenewerOfProcess>();
  // So that a child never has the mutex locked by a thread of its parent.
  static const int registered =
      ::pthread_atfork([] { of_this_process().mutex.lock(); }, [] { of_this_process().mutex.unlock(); },
                       [] { of_this_process().mutex.unlock(); });
  (void)registered;
  return instance;
}

void renew_once(const std::function<void()>& renew) noexcept {
  try {
    renew();
  } catch (...) {  // NOLINT(bugprone-empty-catch): the next one may do better
  }
}

}  // namespace

std::shared_ptr<LeaseRenewer> LeaseRenewer::of_process() {
  RenewerOfProcess& shared = of_this_process();
  const std::lock_guard guard(shared.mutex);
  std::shared_ptr<LeaseRenewer> renewer = shared.renewer.lock();
  if (renewer != nullptr && !renewer->is_forked()) return renewer;
  renewer = std::make_shared<LeaseRenewer>();
  shared.renewer = renewer;
  return renewer;
}

struct LeaseRenewer::State final : OwnedThread::State {
  using Clock = std::chrono::steady_clock;
  struct Lease {
    std::function<void()> renew;
    std::chrono::milliseconds every;
    Clock::time_point due;
  };

  void work() override {
    std::unique_lock guard(mutex);
    while (!ends) {
      const auto next = std::ranges::min_element(leases, {}, [](const auto& lease) { return lease.second.due; });
      if (next == leases.end()) {
        changed.wait(guard);
      } else if (const Clock::time_point due = next->second.due; due > Clock::now()) {
        changed.wait_until(guard, due);
      } else {
        next->second.due = Clock::now() + next->second.every;
        const std::function<void()> call = next->second.renew;  // a copy: the lease may be removed during the call
        renew(next->first, call, guard);
      }
    }
  }

  void renew(std::uint64_t lease, const std::function<void()>& call, std::unique_lock<std::mutex>& guard) {
    renewing = lease;
    guard.unlock();
    renew_once(call);
    guard.lock();
    renewing = 0;
    changed.notify_all();
  }

  std::map<std::uint64_t, Lease> leases;
  std::uint64_t last = 0;
  std::uint64_t renewing = 0;  // 0: none
};

LeaseRenewer::LeaseRenewer() : state_(std::make_shared<State>()) {}

LeaseRenewer::~LeaseRenewer() { thread_.end(*state_); }

std::uint64_t LeaseRenewer::add(std::function<void()> renew, std::chrono::milliseconds every) {
  if (is_forked()) return 0;
  const std::lock_guard guard(state_->mutex);
  static_cast<void>(thread_.start(state_, "start renewer"));  // without the thread leases expire early
  state_->leases.emplace(++state_->last, State::Lease{std::move(renew), every, State::Clock::now() + every});
  state_->changed.notify_all();
  return state_->last;
}

void LeaseRenewer::remove(std::uint64_t lease) {
  if (is_forked() || lease == 0) return;  // the mutex may be held by a thread of the parent
  std::unique_lock guard(state_->mutex);
  state_->leases.erase(lease);
  state_->changed.wait(guard, [&] { return state_->renewing != lease; });
}

}  // namespace kmux
