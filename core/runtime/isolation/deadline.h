#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace kmux {

/// A point in time after which nobody waits, or none.
class Deadline {
 public:
  Deadline() = default;
  explicit Deadline(const std::optional<std::chrono::milliseconds>& from_now) {
    if (from_now) end_ = Clock::now() + *from_now;
  }
  bool passed() const { return end_ && Clock::now() >= *end_; }
  /// What poll() takes to wait until then, but at most `most_ms`.
  int poll_ms(int most_ms) const {
    if (!end_) return most_ms;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end_ - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, most_ms));
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> end_;
};

}  // namespace kmux
