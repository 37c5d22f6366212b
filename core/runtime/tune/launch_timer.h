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

/// Times launches on a separate stream, with a cold L2 cache and the device's events if the backend has them, else with
/// the host's monotonic clock.
///
/// Lifetime: must be destroyed before the memory that launches use; the destructor waits for the launches.
class LaunchTimer {
 public:
  /// Returns a timer for `device`.
  ///
  /// Errors: those of making a stream.
  static Result<LaunchTimer> make(const Device& device);
  LaunchTimer(LaunchTimer&&) = default;
  LaunchTimer& operator=(LaunchTimer&&) = default;
  ~LaunchTimer() { static_cast<void>(stream_.synchronize()); }  // a failure was reported by the timed launches

  /// Returns the time of one launch.
  ///
  /// Units:  microseconds.
  /// Errors: those of the launch and of the device.
  Result<double> time(const Kernel& kernel, std::span<const Arg> args);
  /// Returns true if the cache was flushed before every launch so far.
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
  std::size_t least = 16;  // with fewer, one disturbed round could leave all undecided
  std::chrono::nanoseconds time = std::chrono::milliseconds(500);  // after which no round begins, once `least` are done
};

/// The samples of timing in rounds.
struct TimedRounds {
  std::vector<std::vector<double>> samples;  // of each candidate, equally many
  std::size_t looks = 0;  // how often `is_decided` was called
};

/// A callback that returns true if the samples at look number `look`, counted from 1, decide the measurement.
using IsDecided = std::function<bool(const std::vector<std::vector<double>>& samples, std::size_t look)>;

/// Times every candidate once per round, so that disturbances of the machine affect all of them alike. Every second
/// round runs backwards, so that no candidate always follows the same one. An uncounted warm-up call of each comes
/// first.
///
/// Calls `is_decided` after 16, 24, 36, 54, ... rounds and ends once it returns true, or by the limits. `now` is the
/// clock of the time limit only.
///
/// Errors: the first of a candidate.
Result<TimedRounds> time_in_rounds(const std::vector<TimeOnce>& candidates, const RoundLimits& limits,
                                   const std::function<std::chrono::nanoseconds()>& now, const IsDecided& is_decided);

/// Returns true if `challenger` is faster than `incumbent` over the same rounds: the interval of the ratio must lie
/// below 1 by more than 1 %, as less is not worth another backend. Returns false if too few rounds give no interval of
/// that confidence.
bool beats(std::span<const double> challenger, std::span<const double> incumbent, double confidence = 0.99);

/// The standing of candidates after some rounds.
struct Standing {
  std::size_t winner = 0;  // index
  bool is_sure = false;  // no other candidate can be more than 2 % faster than the winner
  std::vector<std::optional<Interval>> ratios;  // of each other candidate, its time over the winner's
};

/// Returns the standing of candidates in the order of their priority at look number `look`: each later one must beat
/// the best so far. Ignores a candidate without samples. Wrong about any pair in at most one of a hundred measurements,
/// for any number of looks and candidates.
///
/// Precondition: at least one candidate has samples.
Standing standing_of(const std::vector<std::vector<double>>& samples, std::size_t look = 1);

/// Returns true if the interval of the winner's time is at most 5 % of it, so that the time is precise enough to show.
bool is_fit_to_show(const Standing& standing, const std::vector<std::vector<double>>& samples);

}  // namespace kmux
