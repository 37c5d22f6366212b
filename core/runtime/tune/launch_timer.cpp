#include "launch_timer.h"

#include <algorithm>
#include <chrono>

#include "kmux/interval.h"
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

namespace {

using Samples = std::vector<std::vector<double>>;

Status time_round(const std::vector<TimeOnce>& candidates, bool backwards, Samples& samples) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::size_t turn = backwards ? candidates.size() - 1 - i : i;
    KMUX_ASSIGN(const double microseconds, candidates[turn]());
    samples[turn].push_back(microseconds);
  }
  return Ok{};
}

}  // namespace

Result<Samples> time_in_rounds(const std::vector<TimeOnce>& candidates, const RoundLimits& limits,
                               const std::function<std::chrono::nanoseconds()>& now) {
  Samples first(candidates.size());
  KMUX_TRY(time_round(candidates, false, first));
  Samples samples(candidates.size());
  const std::chrono::nanoseconds begin = now();
  for (std::size_t round = 0; round < limits.most; ++round) {
    if (round >= limits.least && now() - begin >= limits.time) break;
    KMUX_TRY(time_round(candidates, round % 2 == 1, samples));
  }
  return samples;
}

namespace {

constexpr double kWorthIt = 0.01;  // of the incumbent's median

}  // namespace

bool beats(std::span<const double> challenger, std::span<const double> incumbent) {
  const std::size_t rounds = std::min(challenger.size(), incumbent.size());
  if (!is_sure(rounds)) return false;
  std::vector<double> gains(rounds);
  for (std::size_t i = 0; i < rounds; ++i) gains[i] = incumbent[i] - challenger[i];
  const double median = median_interval({incumbent.begin(), incumbent.end()}).median;
  return median_interval(std::move(gains)).low > kWorthIt * median;
}

std::size_t winner_of(const std::vector<std::vector<double>>& samples) {
  std::size_t best = samples.size();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].empty()) continue;
    if (best == samples.size() || beats(samples[i], samples[best])) best = i;
  }
  return best;
}

}  // namespace kmux
