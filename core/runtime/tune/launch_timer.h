#pragma once

#include <optional>
#include <span>

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

}  // namespace kmux
