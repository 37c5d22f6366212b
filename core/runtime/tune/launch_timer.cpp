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

constexpr double kLeast = 1e-3;  // microseconds: a clock may not move during a launch, and ratios are of positive times

Status time_round(const std::vector<TimeOnce>& candidates, bool backwards, Samples& samples) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::size_t turn = backwards ? candidates.size() - 1 - i : i;
    KMUX_ASSIGN(const double microseconds, candidates[turn]());
    samples[turn].push_back(std::max(microseconds, kLeast));
  }
  return Ok{};
}

}  // namespace

Result<TimedRounds> time_in_rounds(const std::vector<TimeOnce>& candidates, const RoundLimits& limits,
                                   const std::function<std::chrono::nanoseconds()>& now, const IsDecided& is_decided) {
  Samples first(candidates.size());
  KMUX_TRY(time_round(candidates, false, first));
  TimedRounds timed{Samples(candidates.size())};
  const std::chrono::nanoseconds begin = now();
  std::size_t look_at = limits.least;
  for (std::size_t round = 1; round <= limits.most; ++round) {
    KMUX_TRY(time_round(candidates, round % 2 == 0, timed.samples));
    const bool is_last = round == limits.most || (round >= limits.least && now() - begin >= limits.time);
    if (round < look_at && !is_last) continue;
    look_at = round + round / 2;
    if (is_decided(timed.samples, ++timed.looks) || is_last) break;
  }
  return timed;
}

namespace {

constexpr double kWorthIt = 0.01;  // of the incumbent's time
constexpr double kSame = 0.02;  // a winner may be this much slower than another
constexpr double kError = 0.01;  // the probability of a wrong decision about any pair
constexpr double kShown = 0.05;  // of a median

bool takes_part(const std::vector<double>& samples) { return !samples.empty(); }

/// Returns the confidence required of each pair: all pairs of candidates with samples share the error.
double confidence_of(const Samples& samples, std::size_t look) {
  const auto count = static_cast<std::size_t>(std::ranges::count_if(samples, takes_part));
  const std::size_t pairs = std::max<std::size_t>(1, count * (count - 1) / 2);
  return confidence_of_look(look, kError / static_cast<double>(pairs));
}

std::size_t winner_of(const Samples& samples, double confidence) {
  std::size_t best = samples.size();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!takes_part(samples[i])) continue;
    if (best == samples.size() || beats(samples[i], samples[best], confidence)) best = i;
  }
  return best;
}

}  // namespace

bool beats(std::span<const double> challenger, std::span<const double> incumbent, double confidence) {
  if (!is_sure(std::min(challenger.size(), incumbent.size()), confidence)) return false;
  return median_ratio(challenger, incumbent, confidence).high < 1 / (1 + kWorthIt);
}

Standing standing_of(const Samples& samples, std::size_t look) {
  const double confidence = confidence_of(samples, look);
  Standing standing{winner_of(samples, confidence), true, {}};
  const std::vector<double>& best = samples[standing.winner];
  standing.ratios.resize(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i == standing.winner || !takes_part(samples[i])) continue;
    const Interval ratio = median_ratio(samples[i], best, confidence);
    standing.ratios[i] = ratio;
    standing.is_sure = standing.is_sure && is_sure(best.size(), confidence) && ratio.low > 1 / (1 + kSame);
  }
  return standing;
}

bool is_fit_to_show(const Standing& standing, const Samples& samples) {
  const Interval time = median_interval(samples[standing.winner]);
  return time.high - time.low <= kShown * time.median;
}

}  // namespace kmux
