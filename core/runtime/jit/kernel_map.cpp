#include "kernel_map.h"

#include <chrono>

namespace kmux {
namespace {

bool is_outdated(const std::shared_future<KernelMap::Outcome>& outcome) {
  if (outcome.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  const KernelMap::Outcome& made = outcome.get();
  return made && *made && !(*made)->is_up_to_date();
}

}  // namespace

std::optional<KernelMap::Made> KernelMap::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto known = made_.find(key);
  return known == made_.end() ? std::nullopt : std::optional(known->second);
}

KernelMap::Place KernelMap::take(const std::string& key) {
  if (const std::optional<Made> known = find(key); known && is_outdated(known->outcome)) forget(key, known->number);
  const std::lock_guard lock(mutex_);
  forget_parents();
  if (const auto known = made_.find(key); known != made_.end()) {
    return {{}, known->second.outcome, known->second.number};
  }
  Place place{Promise(*this, key, ++count_), {}, count_};
  place.outcome = place.promise->promise_->get_future().share();
  made_.emplace(key, Made{count_, place.outcome});
  return place;
}

/// In a forked child: what a thread of the parent was making. Under the lock.
void KernelMap::forget_parents() {
  if (generation_ == fork_generation()) return;
  generation_ = fork_generation();
  std::erase_if(made_, [](const auto& item) {
    return item.second.outcome.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
  });
}

std::uint64_t KernelMap::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

KernelMap::Outcome KernelMap::outcome_of(const Place& place, std::uint64_t begun_before) {
  const Outcome& made = place.outcome.get();
  const bool counts = place.number > begun_before || (made && *made && (*made)->is_up_to_date());
  return counts ? made : std::nullopt;
}

void KernelMap::forget(const std::string& key, std::uint64_t number) {
  std::optional<Made> released;  // unloading may take long, so not under the lock
  const std::lock_guard lock(mutex_);
  const auto known = made_.find(key);
  if (known == made_.end() || known->second.number != number) return;
  released = std::move(known->second);
  made_.erase(known);
}

KernelMap::Promise::~Promise() {
  if (promise_) settle(std::nullopt);
}

/// Forgotten before it is told, so that whoever asks after that begins anew.
void KernelMap::Promise::settle(Outcome outcome) {
  if (!outcome || !*outcome) map_->forget(key_, number_);
  promise_->set_value(std::move(outcome));
  promise_.reset();
}

}  // namespace kmux
