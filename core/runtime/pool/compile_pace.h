#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>

namespace kmux {

/// How fast jobs end, and when all will have ended.
class CompilePace {
 public:
  using Duration = std::chrono::duration<double>;

  /// What a job takes usually, as earlier runs had it: counts until the first one has ended.
  void expect(Duration usual);
  /// A job has ended after that long.
  void ended(Duration took);

  /// Units: jobs a second, `elapsed` after the start.
  double rate(std::size_t finished, Duration elapsed) const;

  /// Until all have ended: what is queued takes as long as the average, what runs the rest of it, in as many rows as
  /// there are workers. Nothing if there is no average yet.
  std::optional<Duration> left(std::size_t queued, std::span<const Duration> running_since, std::size_t workers) const;

 private:
  std::optional<Duration> average() const;

  std::optional<Duration> expected_;
  Duration total_{};
  std::size_t count_ = 0;
};

}  // namespace kmux
