#include "runtime/job.h"

#include "runtime/futex.h"
#include "runtime/ticks.h"

namespace kmux::cpu {

int Job::enter() {
  std::uint32_t state = state_.load(std::memory_order_relaxed);
  do {
    if (state < kPlace) return -1;
  } while (
      !state_.compare_exchange_weak(state, state - kPlace + 1, std::memory_order_acquire, std::memory_order_relaxed));
  return static_cast<int>(state / kPlace) - 1;
}

void Job::leave() {
  const std::uint32_t before = state_.fetch_sub(1, std::memory_order_release);
  if ((before & kOwnerSleeps) != 0 && (before & kInside) == 1) wake(state_, 1);
}

// A part takes some microseconds, unless its thread is taken off its processor: then it is no use to wait awake.
void Job::close() {
  constexpr std::uint64_t kAwakeUs = 50;
  std::uint32_t state = state_.fetch_and(kInside, std::memory_order_acquire) & kInside;
  if (state != 0) {
    const std::uint64_t end = ticks() + kAwakeUs * ticks_per_us();
    while (state != 0 && ticks() < end) {
      relax();
      state = state_.load(std::memory_order_acquire);
    }
  }
  while ((state & kInside) != 0) {
    if ((state & kOwnerSleeps) == 0) state = state_.fetch_or(kOwnerSleeps, std::memory_order_acquire) | kOwnerSleeps;
    if ((state & kInside) != 0) sleep_while(state_, state);
    state = state_.load(std::memory_order_acquire);
  }
  state_.store(0, std::memory_order_relaxed);
}

}  // namespace kmux::cpu
