#pragma once

#include <optional>

#include "kmux/bench/call_arguments.h"
#include "kmux/device.h"
#include "kmux/error.h"
#include "kmux/kernel.h"

namespace kmux::bench {

/// Times the calls of one kernel with one set of arguments, on a separate stream.
///
/// Threads: one.   Lifetime: owns the kernel handle; the arguments must outlive it.
class CallTimer {
 public:
  /// Finds the burst length that takes about a millisecond.
  ///
  /// Errors: those of the first launches and of the device.
  static Result<CallTimer> make(const Kernel& kernel, const CallArguments& arguments);
  /// Takes over the stream and events of another timer.
  CallTimer(CallTimer&&) = default;
  /// Same, replacing its own.
  CallTimer& operator=(CallTimer&&) = default;
  /// Waits for its calls, so that the arguments may be destroyed.
  ~CallTimer() { static_cast<void>(stream_.synchronize()); }  // an error was reported earlier, by the timed call

  /// Returns the time that a call blocks the caller: column `host_call`. Units: microseconds.
  Result<double> host_call();
  /// Returns the time of one call after flushes of the L2 cache: column `device_cold`. Units: microseconds.
  Result<double> device_cold();
  /// Returns the device time per call of a burst: column `device_hot`. Units: microseconds.
  Result<double> device_hot();
  /// Returns the host time per call of a burst until the device is done: column `end_to_end`. Units: microseconds.
  Result<double> end_to_end();

  /// Returns the number of calls in a sample, except a cold one.
  int burst() const { return burst_; }
  /// Sets the burst length; `count` must be positive.
  void set_burst(int count) { burst_ = count; }
  /// Returns true if the device has a separate clock. False for the host, whose events are the host's clock.
  bool has_events() const { return events_.has_value(); }
  /// Returns true if the device's L2 cache can be flushed.
  bool can_flush() const { return can_flush_; }

 private:
  struct Events {
    Event begin;
    Event end;
  };
  CallTimer(Kernel kernel, const CallArguments& arguments, Stream stream)
      : kernel_(std::move(kernel)), arguments_(&arguments), stream_(std::move(stream)) {}
  Status make_events();
  Status find_burst();
  Status find_lead();
  Status flush(int times = 1);
  Status launch(int count) const;
  Result<double> by_events(int count) const;
  Result<double> by_clock(int count) const;

  Kernel kernel_;
  const CallArguments* arguments_;
  Stream stream_;
  std::optional<Events> events_ = {};
  bool can_flush_ = true;
  int burst_ = 1;
  double queueing_ = 0;  // host time to queue a call. Units: microseconds
  double lead_ = 0;  // device time of a flush beyond its host time; 0 if none. Units: microseconds
};

/// Returns the number of flushes that keep a device busy for `queueing`, if each runs for `lead`: at least one, and at
/// most a number that drivers queue without blocking.
///
/// Units: microseconds; `lead` must be positive.
int flushes_for(double queueing, double lead);

}  // namespace kmux::bench
