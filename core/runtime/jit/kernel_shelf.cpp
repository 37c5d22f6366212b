#include "kernel_shelf.h"

namespace kmux {

KernelShelf::Place KernelShelf::take(const std::string& key) {
  const std::lock_guard lock(mutex_);
  if (const auto known = outcomes_.find(key); known != outcomes_.end()) return {{}, known->second};
  Place place{Duty(*this, key), {}};
  place.outcome = place.duty->promise_->get_future().share();
  outcomes_.emplace(key, place.outcome);
  return place;
}

void KernelShelf::forget(const std::string& key) {
  const std::lock_guard lock(mutex_);
  outcomes_.erase(key);
}

KernelShelf::Duty::~Duty() {
  if (promise_) settle(std::nullopt);
}

/// Forgotten before it is told, so that whoever asks after that begins anew.
void KernelShelf::Duty::settle(Outcome outcome) {
  if (!outcome || !*outcome) shelf_->forget(key_);
  promise_->set_value(std::move(outcome));
  promise_.reset();
}

}  // namespace kmux
