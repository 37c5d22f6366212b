#pragma once

#include <optional>

#include "kmux/bench/call_arguments.h"
#include "kmux/device.h"
#include "kmux/error.h"
#include "kmux/kernel.h"

namespace kmux::bench {

/// Times the calls of one kernel with one set of arguments, on a stream of its own.
///
/// Threads: one.   Lifetime: keeps the kernel; borrows the arguments.
class CallTimer {
 public:
  /// Finds how many calls make a burst of about a millisecond.
  ///
  /// Errors: those of the first launches and of the device.
  static Result<CallTimer> make(const Kernel& kernel, const CallArguments& arguments);
  /// Takes over the stream and the events of another timer.
  CallTimer(CallTimer&&) = default;
  /// As above, in place of its own.
  CallTimer& operator=(CallTimer&&) = default;
  /// Waits for its calls, so that the arguments may go.
  ~CallTimer() { static_cast<void>(stream_.synchronize()); }  // a failure came before, in what was timed

  /// How long a call keeps the caller: the column `host_call`. Units: microseconds.
  Result<double> host_call();
  /// One call after its L2 cache was flushed: the column `device_cold`. Units: microseconds.
  Result<double> device_cold();
  /// A call of a burst on the device: the column `device_hot`. Units: microseconds.
  Result<double> device_hot();
  /// A call of a burst until the device is done, by the host's clock: the column `end_to_end`. Units: microseconds.
  Result<double> end_to_end();

  /// Calls a sample, but for the cold one.
  int burst() const { return burst_; }
  /// Precondition: count > 0.
  void set_burst(int count) { burst_ = count; }
  /// Whether the device has a clock of its own; the host has none, since its events are the host's clock.
  bool has_events() const { return events_.has_value(); }
  /// Whether the device's L2 cache can be flushed.
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
  double queueing_ = 0;  // how long the host takes to queue a call. Units: microseconds
  double lead_ = 0;  // how much longer a flush takes the device than the host, 0 where it does not. Units: microseconds
};

/// How many flushes keep a device busy for `queueing`, if one does for `lead`; at least one, and no more than a driver queues
/// with ease.
///
/// Units: microseconds; lead > 0.
int flushes_for(double queueing, double lead);

}  // namespace kmux::bench
