#include "adapter_slot.h"

#include <utility>

namespace kmux {

AdapterSlot::AdapterSlot(LoadedArtifact first) : first_entry_(first.adapter->entry()), first_(std::move(first)) {}

const LoadedArtifact& AdapterSlot::loaded() const {
  const std::lock_guard lock(mutex_);
  return better_ ? *better_ : first_;
}

AdapterSlot::Promise AdapterSlot::expect_better() {
  const std::lock_guard lock(mutex_);
  expects_ = true;
  return Promise(weak_from_this());
}

Status AdapterSlot::await_better() const {
  std::unique_lock lock(mutex_);
  settled_.wait(lock, [&] { return !expects_; });
  return failure_ ? Status(*failure_) : Ok{};
}

void AdapterSlot::settle(std::optional<LoadedArtifact> better, std::optional<Error> failure) {
  {
    const std::lock_guard lock(mutex_);
    if (!expects_) return;
    expects_ = false;
    better_ = std::move(better);
    failure_ = std::move(failure);
    if (better_) {
      better_entry_ = better_->adapter->entry();
      entry_.store(&better_entry_, std::memory_order_release);
    }
  }
  settled_.notify_all();
}

void AdapterSlot::Promise::keep(LoadedArtifact better) {
  if (const auto slot = slot_.lock()) slot->settle(std::move(better), std::nullopt);
}

void AdapterSlot::Promise::give_up(Error reason) {
  if (const auto slot = slot_.lock()) slot->settle(std::nullopt, std::move(reason));
}

AdapterSlot::Promise::~Promise() {
  give_up(make_error(ErrorCode::kUnavailable,
                     "the kernel stays as it was compiled first (its runtime ended before the better code was there). "
                     "Keep the runtime, or compile with the option tier=full."));
}

}  // namespace kmux
