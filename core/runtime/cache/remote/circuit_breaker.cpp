#include "circuit_breaker.h"

namespace kmux {

bool CircuitBreaker::allows(Clock::time_point now) {
  Clock::rep when = try_again_.load();
  if (when == 0) return true;
  return ticks(now) >= when && try_again_.compare_exchange_strong(when, ticks(now + rest_));
}

void CircuitBreaker::succeeded() {
  if (try_again_.load(std::memory_order_relaxed) != 0) try_again_.store(0);
}

void CircuitBreaker::not_tried(Clock::time_point now) {
  if (Clock::rep when = try_again_.load(); when > ticks(now)) try_again_.compare_exchange_strong(when, ticks(now));
}

bool CircuitBreaker::failed(Clock::time_point now) {
  try_again_.store(ticks(now + rest_));
  Clock::rep when = warn_again_.load();
  return ticks(now) >= when && warn_again_.compare_exchange_strong(when, ticks(now + rest_));
}

}  // namespace kmux
