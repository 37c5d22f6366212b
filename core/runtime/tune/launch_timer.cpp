#include "launch_timer.h"

#include <chrono>

#include "kmux/plugin/backend.h"
#include "kmux/registry.h"

namespace kmux {

Result<LaunchTimer> LaunchTimer::make(const Device& device) {
  KMUX_ASSIGN(Stream stream, Stream::create(device));
  LaunchTimer timer(device, std::move(stream));
  KMUX_TRY(timer.make_events());
  return timer;
}

Status LaunchTimer::make_events() {
  Result<Event> begin = Event::create(device_);
  if (!begin && begin.error().code == ErrorCode::kUnsupported) return Ok{};
  if (!begin) return std::move(begin).error();
  KMUX_ASSIGN(Event end, Event::create(device_));
  events_.emplace(Events{*std::move(begin), std::move(end)});
  return Ok{};
}

Status LaunchTimer::flush() {
  if (!is_cold_) return Ok{};
  Status flushed = device_.plugin()->backend().devices().l2_flush(device_.ordinal(), stream_.handle());
  if (flushed || flushed.error().code != ErrorCode::kUnsupported) return flushed;
  is_cold_ = false;
  return Ok{};
}

Result<double> LaunchTimer::time(const Kernel& kernel, std::span<const Arg> args) {
  KMUX_TRY(flush());
  return events_ ? time_by_events(kernel, args) : time_by_clock(kernel, args);
}

Result<double> LaunchTimer::time_by_events(const Kernel& kernel, std::span<const Arg> args) const {
  KMUX_TRY(events_->begin.record(stream_));
  KMUX_TRY(kernel.launch(args, stream_));
  KMUX_TRY(events_->end.record(stream_));
  KMUX_ASSIGN(const double milliseconds, events_->end.elapsed_since(events_->begin));
  return milliseconds * 1000;
}

Result<double> LaunchTimer::time_by_clock(const Kernel& kernel, std::span<const Arg> args) const {
  KMUX_TRY(stream_.synchronize());
  const auto begin = std::chrono::steady_clock::now();
  KMUX_TRY(kernel.launch(args, stream_));
  KMUX_TRY(stream_.synchronize());
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace kmux
