#include "completion.h"

#include <chrono>
#include <deque>
#include <thread>
#include <utility>

namespace kmux::metal {
namespace {

constexpr int kBlockIsGlobal = 1 << 28;
constexpr Count kStatusError = 5;  // MTLCommandBufferStatusError

}  // namespace

const Completion::Descriptor Completion::kDescriptor = {0, sizeof(Literal)};

Completion::Completion(const ObjectiveC& objc)
    : objc_(objc), literal_(immortal({objc.global_block_class, kBlockIsGlobal, 0, done, &kDescriptor, this})) {}

// One for each device that is opened: forty bytes.
Completion::Literal& Completion::immortal(const Literal& literal) {
  static std::mutex& mutex = *new std::mutex;
  static std::deque<Literal>& all = *new std::deque<Literal>;
  const std::lock_guard lock(mutex);
  return all.emplace_back(literal);
}

void Completion::commit(Id command_buffer) noexcept {
  pending_.fetch_add(1, std::memory_order_relaxed);
  objc_.add_completed_handler(command_buffer, &literal_);
  objc_.commit(command_buffer);
}

void Completion::done(Literal* self, Id command_buffer) noexcept { self->owner->finish(command_buffer); }

// The count goes down last: who sees 0 may destroy this.
void Completion::finish(Id command_buffer) noexcept {
  if (objc_.status(command_buffer) == kStatusError) {
    const AutoreleasePool pool(objc_);
    std::string reason = objc_.reason(objc_.failure_of(command_buffer));
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(reason);
  }
  pending_.fetch_sub(1, std::memory_order_release);
}

std::optional<std::string> Completion::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

void Completion::drain() const noexcept {
  while (pending_.load(std::memory_order_acquire) != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace kmux::metal
