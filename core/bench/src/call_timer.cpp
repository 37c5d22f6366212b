#include "kmux/bench/call_timer.h"

#include <algorithm>
#include <cmath>

#include "kmux/plugin/backend.h"
#include "kmux/registry.h"

#include "contest.h"

namespace kmux::bench {
namespace {

constexpr double kBurstMicroseconds = 1000;
constexpr double kMinMicroseconds = 1e-3;  // a coarse clock may measure 0, which has no ratios
constexpr int kLongestBurst = 256;  // fewer than a driver queues before it blocks the caller
constexpr int kMaxFlushes = 64;
constexpr int kTries = 3;
constexpr double kQueueingMargin = 1.5;
// A device that lags behind the host by less than this part of a flush has no queue: it works while the caller waits.
constexpr double kMinLead = 0.25;

}  // namespace

Result<CallTimer> CallTimer::make(const Kernel& kernel, const CallArguments& arguments) {
  KMUX_ASSIGN(Stream stream, Stream::create(kernel.device()));
  CallTimer timer(kernel, arguments, std::move(stream));
  KMUX_TRY(timer.make_events());
  KMUX_TRY(timer.find_burst());
  KMUX_TRY(timer.find_lead());
  return timer;
}

Status CallTimer::make_events() {
  if (kernel_.device().is_host()) return Ok{};
  Result<Event> begin = Event::create(kernel_.device());
  if (!begin && begin.error().code == ErrorCode::kUnsupported) return Ok{};
  if (!begin) return std::move(begin).error();
  KMUX_ASSIGN(Event end, Event::create(kernel_.device()));
  events_.emplace(Events{*std::move(begin), std::move(end)});
  return Ok{};
}

Status CallTimer::find_burst() {
  KMUX_TRY(by_clock(1));  // discards one-time work
  KMUX_ASSIGN(const double one, by_clock(1));
  burst_ = static_cast<int>(std::clamp(kBurstMicroseconds / std::max(one, 0.01), 1.0, double{kLongestBurst}));
  return flush();
}

Status CallTimer::find_lead() {
  for (int i = 0; i < kTries; ++i) {
    KMUX_TRY(stream_.synchronize());
    const auto begin = Clock::now();
    KMUX_TRY(launch(1));
    const double queueing = microseconds_since(begin);
    queueing_ = i == 0 ? queueing : std::min(queueing_, queueing);
  }
  double whole = 0;
  for (int i = 0; i < kTries && events_ && can_flush_; ++i) {
    KMUX_TRY(stream_.synchronize());
    KMUX_TRY(events_->begin.record(stream_));
    const auto begin = Clock::now();
    KMUX_TRY(flush());
    const double host = microseconds_since(begin);
    KMUX_TRY(events_->end.record(stream_));
    KMUX_ASSIGN(const double milliseconds, events_->end.elapsed_since(events_->begin));
    whole = std::max(whole, milliseconds * 1000);
    lead_ = std::max(lead_, milliseconds * 1000 - host);
  }
  if (lead_ < kMinLead * whole) lead_ = 0;
  return stream_.synchronize();
}

Status CallTimer::flush(int times) {
  const Device& device = kernel_.device();
  for (int i = 0; i < times && can_flush_; ++i) {
    Status flushed = device.plugin()->backend().devices().l2_flush(device.ordinal(), stream_.handle());
    if (!flushed && flushed.error().code != ErrorCode::kUnsupported) return flushed;
    can_flush_ = flushed.ok();
  }
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
  return std::max(milliseconds * 1000 / count, kMinMicroseconds);
}

Result<double> CallTimer::by_clock(int count) const {
  KMUX_TRY(stream_.synchronize());
  const auto begin = Clock::now();
  KMUX_TRY(launch(count));
  KMUX_TRY(stream_.synchronize());
  return std::max(microseconds_since(begin) / count, kMinMicroseconds);
}

Result<double> CallTimer::host_call() {
  KMUX_TRY(stream_.synchronize());
  const auto begin = Clock::now();
  KMUX_TRY(launch(burst_));
  const double each = std::max(microseconds_since(begin) / burst_, kMinMicroseconds);
  KMUX_TRY(stream_.synchronize());
  return each;
}

Result<double> CallTimer::device_cold() {
  KMUX_TRY(flush(lead_ > 0 ? flushes_for(queueing_, lead_) : 1));
  return events_ ? by_events(1) : by_clock(1);
}

Result<double> CallTimer::device_hot() {
  if (!events_) return by_clock(burst_);
  if (lead_ > 0)
    KMUX_TRY(flush(flushes_for(queueing_ * burst_, lead_)));  // keeps the device busy while the burst is queued
  return by_events(burst_);
}

Result<double> CallTimer::end_to_end() { return by_clock(burst_); }

int flushes_for(double queueing, double lead) {
  return static_cast<int>(std::clamp(std::ceil(kQueueingMargin * queueing / lead), 1.0, double{kMaxFlushes}));
}

}  // namespace kmux::bench
