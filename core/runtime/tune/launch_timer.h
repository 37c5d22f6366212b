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
#include "kmux/interval.h"
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
  std::size_t most = 2000;
  std::size_t least = 16;  // with fewer one round that was disturbed could leave all undecided
  std::chrono::nanoseconds time = std::chrono::milliseconds(500);  // after which no round begins, once there are enough
};

/// What was timed in rounds.
struct TimedRounds {
  std::vector<std::vector<double>> samples;  // of each candidate, as many of each
  std::size_t looks = 0;  // how often they were looked at
};

/// Returns true if the samples after look number `look`, counted from 1, decide what is measured.
using IsDecided = std::function<bool(const std::vector<std::vector<double>>& samples, std::size_t look)>;

/// Times every candidate once a round, so that whatever else the machine does meets all of them alike; every second
/// round goes backwards, so that none always follows the same one. One call of each goes before and does not count.
///
/// Asks `is_decided` after 16, 24, 36, 54, ... rounds and ends once it returns true, or by the limits. `now` is the clock of
/// the limit alone.
/// Errors: the first of a candidate.
Result<TimedRounds> time_in_rounds(const std::vector<TimeOnce>& candidates, const RoundLimits& limits,
                                   const std::function<std::chrono::nanoseconds()>& now, const IsDecided& is_decided);

/// Returns true if `challenger` is faster than `incumbent`, sample by sample of the same rounds: the interval of the ratio
/// must lie below 1 by more than 1 %, less is not worth another backend. False with so few rounds that no interval is sure.
bool beats(std::span<const double> challenger, std::span<const double> incumbent, double confidence = 0.99);

/// How candidates stand after some rounds.
struct Standing {
  std::size_t winner = 0;  // index
  bool is_sure = false;  // no other candidate can be more than 2 % faster than the winner
  std::vector<std::optional<Interval>> ratios;  // of each other candidate, its time over the winner's
};

/// Returns the standing of candidates in the order of their priority at look number `look`: each later one must beat the best
/// so far. A candidate without samples takes no part. Wrong about any pair once in a hundred measurements at most, however
/// many looks and candidates there are.
///
/// Precondition: one candidate has samples.
Standing standing_of(const std::vector<std::vector<double>>& samples, std::size_t look = 1);

/// Returns true if the interval of the winner's time is at most 5 % of it: times are shown, too.
bool is_fit_to_show(const Standing& standing, const std::vector<std::vector<double>>& samples);

}  // namespace kmux
