#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kmux/arg.h"
#include "kmux/device.h"
#include "kmux/error.h"
#include "kmux/kernel.h"

namespace kmux {

/// Times launches on a stream of its own, with a cold L2 cache and the device's events where the backend has them, else
/// with the host's monotonic clock.
///
/// Lifetime: goes before the memory that launches use, and waits for them when it does.
class LaunchTimer {
 public:
  /// Errors: those of making a stream.
  static Result<LaunchTimer> make(const Device& device);
  LaunchTimer(LaunchTimer&&) = default;
  LaunchTimer& operator=(LaunchTimer&&) = default;
  ~LaunchTimer() { static_cast<void>(stream_.synchronize()); }  // a failure came before, in what was timed

  /// Units: microseconds, of one launch.
  /// Errors: those of the launch and of the device.
  Result<double> time(const Kernel& kernel, std::span<const Arg> args);
  /// Could the cache be flushed before every launch so far?
  bool is_cold() const { return is_cold_; }

 private:
  struct Events {
    Event begin;
    Event end;
  };
  LaunchTimer(Device device, Stream stream) : device_(std::move(device)), stream_(std::move(stream)) {}
  Status make_events();
  Status flush();
  Result<double> time_by_events(const Kernel& kernel, std::span<const Arg> args) const;
  Result<double> time_by_clock(const Kernel& kernel, std::span<const Arg> args) const;

  Device device_;
  Stream stream_;
  std::optional<Events> events_ = {};
  bool is_cold_ = true;
};

/// Times one call of a candidate. Units: microseconds.
using TimeOnce = std::function<Result<double>()>;

struct RoundLimits {
  std::size_t most = 30;
  std::size_t least = 8;  // with fewer nothing can be decided
  std::chrono::nanoseconds time = std::chrono::milliseconds(500);  // after which no round begins, once there are enough
};

/// Times every candidate once a round, so that whatever else the machine does meets all of them alike; every second
/// round goes backwards, so that none always follows the same one. One call of each goes before and does not count.
///
/// `now` is the clock of the limit alone.
/// Returns: the samples of each candidate, as many of each.
/// Errors:  the first of a candidate.
Result<std::vector<std::vector<double>>> time_in_rounds(const std::vector<TimeOnce>& candidates,
                                                        const RoundLimits& limits,
                                                        const std::function<std::chrono::nanoseconds()>& now);

/// Is `challenger` faster than `incumbent`, sample by sample of the same rounds? The interval of the median of their
/// differences must lie above 1 % of the incumbent's median: less is not worth another backend. Never with so few
/// rounds that no interval is sure.
bool beats(std::span<const double> challenger, std::span<const double> incumbent);

/// The winner among candidates in the order of their priority: each later one must beat the best so far. A candidate
/// without samples takes no part.
///
/// Precondition: one candidate has samples.
std::size_t winner_of(const std::vector<std::vector<double>>& samples);

}  // namespace kmux
