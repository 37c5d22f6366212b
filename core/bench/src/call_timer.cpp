#include "kmux/bench/call_timer.h"

#include <algorithm>
#include <chrono>

#include "kmux/backend.h"
#include "kmux/registry.h"

namespace kmux::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kBurstMicroseconds = 1000;
constexpr int kLongestBurst = 256;  // fewer than a driver queues before it makes the caller wait

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

}  // namespace

Result<CallTimer> CallTimer::make(const Kernel& kernel, const CallArguments& arguments) {
  KMUX_ASSIGN(Stream stream, Stream::create(kernel.device()));
  CallTimer timer(kernel, arguments, std::move(stream));
  KMUX_TRY(timer.make_events());
  KMUX_TRY(timer.find_burst());
  return timer;
}

Status CallTimer::make_events() {
  Result<Event> begin = Event::create(kernel_.device());
  if (!begin && begin.error().code == ErrorCode::kUnsupported) return Ok{};
  if (!begin) return std::move(begin).error();
  KMUX_ASSIGN(Event end, Event::create(kernel_.device()));
  events_.emplace(Events{*std::move(begin), std::move(end)});
  return Ok{};
}

Status CallTimer::find_burst() {
  KMUX_TRY(by_clock(1));  // whatever the first one does once
  KMUX_ASSIGN(const double one, by_clock(1));
  burst_ = static_cast<int>(std::clamp(kBurstMicroseconds / std::max(one, 0.01), 1.0, double{kLongestBurst}));
  return flush();
}

Status CallTimer::flush() {
  if (!can_flush_) return Ok{};
  const Device& device = kernel_.device();
  Status flushed = device.plugin()->backend().devices().l2_flush(device.ordinal(), stream_.handle());
  if (flushed || flushed.error().code != ErrorCode::kUnsupported) return flushed;
  can_flush_ = false;
  return Ok{};
}

Status CallTimer::launch(int count) const {
  for (int i = 0; i < count; ++i) KMUX_TRY(kernel_.launch(arguments_->args(), stream_));
  return Ok{};
}

Result<double> CallTimer::by_events(int count) const {
  KMUX_TRY(events_->begin.record(stream_));
  KMUX_TRY(launch(count));
  KMUX_TRY(events_->end.record(stream_));
  KMUX_ASSIGN(const double milliseconds, events_->end.elapsed_since(events_->begin));
  return milliseconds * 1000 / count;
}

Result<double> CallTimer::by_clock(int count) const {
  KMUX_TRY(stream_.synchronize());
  const auto begin = Clock::now();
  KMUX_TRY(launch(count));
  KMUX_TRY(stream_.synchronize());
  return microseconds_since(begin) / count;
}

Result<double> CallTimer::host_call() {
  KMUX_TRY(stream_.synchronize());
  const auto begin = Clock::now();
  KMUX_TRY(launch(burst_));
  const double each = microseconds_since(begin) / burst_;
  KMUX_TRY(stream_.synchronize());
  return each;
}

Result<double> CallTimer::device_cold() {
  KMUX_TRY(flush());
  return events_ ? by_events(1) : by_clock(1);
}

Result<double> CallTimer::device_hot() {
  if (!events_) return by_clock(burst_);
  KMUX_TRY(flush());  // the device is busy while the burst is queued
  return by_events(burst_);
}

Result<double> CallTimer::end_to_end() { return by_clock(burst_); }

}  // namespace kmux::bench
