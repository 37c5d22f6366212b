#include "contest_times.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "kmux/bench/drift.h"
#include "kmux/bench/pairs.h"
#include "kmux/bench/sampling.h"

#include "entrants.h"

namespace kmux::bench {
namespace {

using TimeOnce = Result<double> (CallTimer::*)();

std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// Judges every pair, and each against the baseline by the same rule.
void judge_all(Contest& contest, const std::vector<Contestant>& contestants, Column column, const Sampling& sampling,
               const VerdictRule& rule) {
  const auto entrant_of = [&](std::size_t i) -> Entrant& { return contest.entrants[contestants[i].entrant]; };
  for (const Pair& pair : judge_pairs(sampling.series, sampling.looks, rule)) {
    contest.pairs[column].push_back({entrant_of(pair.first).backend, entrant_of(pair.second).backend, pair.judgement});
  }
  const std::size_t baseline = index_of(contest, contestants, contest.baseline);
  const VerdictRule each = rule_of_pairs(rule, contestants.size());
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    if (i == baseline) continue;
    entrant_of(i).verdicts[column] = judge(sampling.series[i], sampling.series[baseline], sampling.looks, each);
  }
}

/// Notes how far each device has drifted while its contestants were sampled, unless it was more in another column.
void note_device_drift(Contest& contest, const std::vector<Contestant>& contestants, const Sampling& sampling) {
  std::map<std::string, std::vector<std::vector<double>>> series;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const Device& device = contestants[i].kernel->device();
    if (device.is_host() || !contestants[i].timer->has_events()) continue;
    series[device.to_string()].push_back(sampling.series[i]);
  }
  for (const auto& [device, times] : series) {
    double& drift = contest.device_drift[device];
    const double found = common_drift(times);
    if (std::abs(found) > std::abs(drift)) drift = found;
  }
}

/// Times all in rounds and judges them. `clock` gets a sample of the reference loop each round.
Status time_column(Contest& contest, std::vector<Contestant>& contestants, Column column, TimeOnce time,
                   const StopRule& rule, Refill refill, std::vector<double>& clock) {
  std::vector<Sample> samples;
  samples.reserve(contestants.size());
  for (Contestant& contestant : contestants) {
    samples.emplace_back([&]() -> Result<double> {
      if (&contestant == &contestants.front()) clock.push_back(time_reference_loop());
      if (refill == Refill::kEachSample) KMUX_TRY(contestant.arguments->refill());
      return (*contestant.timer.*time)();
    });
  }
  KMUX_ASSIGN(Sampling sampling, sample_in_rounds(samples, rule, now));
  contest.stops[column] = std::string(to_string(sampling.stop));
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    set_column(contest.entrants[contestants[i].entrant], column, sampling.series[i]);
  }
  judge_all(contest, contestants, column, sampling, rule.verdict);
  if (column == Column::kDeviceHot || column == Column::kDeviceCold) note_device_drift(contest, contestants, sampling);
  return Ok{};
}

/// Fills `column` with `amount` over the times of a call, which are in microseconds.
void set_rate(Entrant& entrant, Column column, double amount, Column time) {
  if (amount <= 0) return;
  std::vector<double> rates = entrant.columns.at(time).samples;
  for (double& value : rates) value = amount / value;
  set_column(entrant, column, std::move(rates));
}

void set_rates(const Contest& contest, Entrant& entrant) {
  constexpr double kGigaASecond = 1e-3;  // one a microsecond is 10^6 a second
  set_rate(entrant, Column::kThroughput, 1e6, Column::kEndToEnd);
  set_rate(entrant, Column::kBytesRate, contest.bytes * kGigaASecond, kHeadline);
  set_rate(entrant, Column::kFlopRate, contest.flops * kGigaASecond, kHeadline);
}

void note_remarks(Entrant& entrant, const CallTimer& timer) {
  if (!timer.has_events()) entrant.remarks.emplace_back("no clock of its own: device times are the host's");
  if (!timer.can_flush()) entrant.remarks.emplace_back("no cache can be flushed: cold is one call, as it comes");
}

Status make_timers(Contest& contest, std::vector<Contestant>& contestants) {
  for (Contestant& contestant : contestants) {
    KMUX_TRY(contestant.arguments->refill());
    KMUX_ASSIGN(CallTimer timer, CallTimer::make(*contestant.kernel, *contestant.arguments));
    note_remarks(contest.entrants[contestant.entrant], timer);
    contestant.timer.emplace(std::move(timer));
  }
  for (Contestant& contestant : contestants) KMUX_TRY(contestant.arguments->refill());
  return Ok{};
}

/// Lets all make the same number of calls a sample, so that all meet the same values.
void make_alike(Contest& contest, std::vector<Contestant>& contestants) {
  int fewest = std::numeric_limits<int>::max();
  for (const Contestant& contestant : contestants) fewest = std::min(fewest, contestant.timer->burst());
  for (Contestant& contestant : contestants) {
    contestant.timer->set_burst(fewest);
    contest.entrants[contestant.entrant].remarks.push_back(
        "a call changes what the next one reads: before each sample of " + std::to_string(fewest) +
        (fewest == 1 ? " call" : " calls") + " the memory is filled anew");
  }
}

}  // namespace

Status time_calls(Contest& contest, std::vector<Contestant>& contestants, const StopRule& rule, Refill refill) {
  KMUX_TRY(make_timers(contest, contestants));
  if (refill == Refill::kEachSample) make_alike(contest, contestants);
  static constexpr std::pair<Column, TimeOnce> kTimed[] = {{Column::kDeviceHot, &CallTimer::device_hot},
                                                           {Column::kDeviceCold, &CallTimer::device_cold},
                                                           {Column::kHostCall, &CallTimer::host_call},
                                                           {Column::kEndToEnd, &CallTimer::end_to_end}};
  std::vector<double> clock;
  for (const auto& [column, time] : kTimed)
    KMUX_TRY(time_column(contest, contestants, column, time, rule, refill, clock));
  contest.host_drift = drift_of(clock);
  for (const Contestant& contestant : contestants) set_rates(contest, contest.entrants[contestant.entrant]);
  return Ok{};
}

}  // namespace kmux::bench
