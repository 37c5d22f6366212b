#include "adapter_slot.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "system/host_api.h"

namespace kmux {
namespace {

bool is_of(const LoadedArtifact& loaded, std::string_view backend) {
  return loaded.origin != nullptr && loaded.origin->plugin != nullptr &&
         loaded.origin->plugin->manifest().name == backend;
}

bool is_of(const LoadedArtifact& loaded, std::string_view backend, std::size_t variant, std::string_view tier) {
  return is_of(loaded, backend) && loaded.origin->index == variant && loaded.tier == tier;
}

/// Leaks the condition variable: in a forked child it may have waiters from the parent, so destroying it could block.
void leave_alone(std::unique_ptr<std::condition_variable>& settled) {
  [[maybe_unused]] const auto* const kept = settled.release();
}

}  // namespace

AdapterSlot::AdapterSlot(LoadedArtifact first)
    : first_entry_(first.adapter->entry()), first_(std::move(first)), expected_in_(fork_generation()) {}

AdapterSlot::~AdapterSlot() {
  if (expected_in_ != fork_generation()) leave_alone(settled_);
}

const LoadedArtifact& AdapterSlot::loaded() const {
  const std::lock_guard lock(mutex_);
  return *loaded_;
}

bool AdapterSlot::has_used(std::string_view backend) const {
  const std::lock_guard lock(mutex_);
  return is_of(first_, backend) ||
         std::ranges::any_of(later_, [&](const Held& held) { return is_of(held.loaded, backend); });
}

void AdapterSlot::launch(const LoadedArtifact& loaded, const LaunchEntry& entry) {
  loaded_ = &loaded;
  launched_ = &entry;
  link();
}

void AdapterSlot::link() {
  const LaunchEntry* next = launched_;
  for (const auto& interceptor : interceptors_) {
    interceptor->next_.store(next, std::memory_order_release);
    next = &interceptor->entry_;
  }
  entry_.store(next, std::memory_order_release);
}

void AdapterSlot::take(LoadedArtifact next) {
  const LaunchEntry entry = next.adapter->entry();
  const Held& held = later_.emplace_back(Held{std::move(next), entry});
  launch(held.loaded, held.entry);
}

void AdapterSlot::replace(LoadedArtifact next) {
  const std::lock_guard lock(mutex_);
  take(std::move(next));
}

const LoadedArtifact* AdapterSlot::find(std::string_view backend, std::size_t variant, std::string_view tier) const {
  const std::lock_guard lock(mutex_);
  if (is_of(first_, backend, variant, tier)) return &first_;
  const auto held =
      std::ranges::find_if(later_, [&](const Held& one) { return is_of(one.loaded, backend, variant, tier); });
  return held == later_.end() ? nullptr : &held->loaded;
}

bool AdapterSlot::launch_again(std::string_view backend, std::size_t variant, std::string_view tier) {
  const std::lock_guard lock(mutex_);
  if (is_of(first_, backend, variant, tier)) return launch(first_, first_entry_), true;
  const auto held =
      std::ranges::find_if(later_, [&](const Held& one) { return is_of(one.loaded, backend, variant, tier); });
  if (held == later_.end()) return false;
  launch(held->loaded, held->entry);
  return true;
}

void AdapterSlot::intercept(std::shared_ptr<Interceptor> interceptor) {
  const std::lock_guard lock(mutex_);
  interceptors_.push_back(std::move(interceptor));
  link();
}

void AdapterSlot::leave(const Interceptor& interceptor) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(interceptors_, &interceptor, &std::shared_ptr<Interceptor>::get);
  if (found == interceptors_.end()) return;
  left_.push_back(std::move(*found));
  interceptors_.erase(found);
  link();
}

namespace {

Error stays(ErrorCode code, const std::string& why) {
  return make_error(code, "the kernel stays as it was compiled first (" + why);
}

}  // namespace

AdapterSlot::Promise AdapterSlot::expect_better(std::function<void()> hurry) {
  const std::lock_guard lock(mutex_);
  if (expected_in_ != fork_generation()) {
    leave_alone(settled_);
    settled_ = std::make_unique<std::condition_variable>();
    expected_in_ = fork_generation();
    expected_ = 0;
  }
  ++expected_;
  if (hurry) hurry_ = std::move(hurry);
  failure_.reset();
  return Promise(weak_from_this(), loaded_);
}

/// Must be called without the lock: the callback may wait for a job that takes it.
void AdapterSlot::hurry() const {
  std::function<void()> hurry;
  {
    const std::lock_guard lock(mutex_);
    if (expected_ != 0 && !is_from_parent()) hurry = hurry_;
  }
  if (hurry) hurry();
}

Status AdapterSlot::await_better(const AwaitOptions& wait) const {
  constexpr std::chrono::milliseconds kGlance(20);  // how often a waiting call checks whether it must end
  const auto began = std::chrono::steady_clock::now();
  hurry();
  std::unique_lock lock(mutex_);
  if (is_from_parent()) {
    return stays(ErrorCode::kUnavailable,
                 "the better code was to come from the parent process). Compile it again in this one.");
  }
  while (!settled_->wait_for(lock, kGlance, [&] { return expected_ == 0; })) {
    if (is_stopping()) return stays(ErrorCode::kUnavailable, "the process is ending). Wait before it ends.");
    if (wait.stop.stop_requested()) return stays(ErrorCode::kCancelled, "the wait was stopped). Wait again.");
    if (wait.timeout && std::chrono::steady_clock::now() - began >= *wait.timeout) {
      return stays(ErrorCode::kTimedOut, "the better code was not there within " +
                                             std::to_string(wait.timeout->count()) + " ms). Wait longer, or go on.");
    }
    if (!wait.poll) continue;
    lock.unlock();
    wait.poll();
    lock.lock();
  }
  return failure_ ? Status(*failure_) : Ok{};
}

void AdapterSlot::settle(std::optional<LoadedArtifact> better, const LoadedArtifact* instead_of,
                         std::optional<Error> failure) {
  {
    const std::lock_guard lock(mutex_);
    if (better && loaded_ == instead_of) take(*std::move(better));
    if (expected_in_ != fork_generation()) return;  // the waiters are in another process
    --expected_;
    if (failure) failure_ = std::move(failure);
    settled_->notify_all();
  }
}

void AdapterSlot::Promise::settle(std::optional<LoadedArtifact> better, std::optional<Error> failure) {
  if (settled_.exchange(true)) return;
  const LoadedArtifact* const instead_of = better ? instead_of_ : nullptr;
  if (const auto slot = slot_.lock()) slot->settle(std::move(better), instead_of, std::move(failure));
}

void AdapterSlot::Promise::keep(LoadedArtifact better) { settle(std::move(better), std::nullopt); }
void AdapterSlot::Promise::fulfil() { settle(std::nullopt, std::nullopt); }
void AdapterSlot::Promise::give_up(Error reason) { settle(std::nullopt, std::move(reason)); }

AdapterSlot::Promise::~Promise() {
  give_up(make_error(ErrorCode::kUnavailable,
                     "the kernel stays as it was compiled first (its runtime ended before the better code was there). "
                     "Keep the runtime, or compile with the option tier=full."));
}

}  // namespace kmux
