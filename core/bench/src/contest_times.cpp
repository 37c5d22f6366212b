#include "contest_times.h"

#include <chrono>
#include <utility>

#include "kmux/bench/drift.h"
#include "kmux/bench/sampling.h"
#include "kmux/bench/stage_times.h"
#include "kmux/private_folder.h"

namespace kmux::bench {
namespace {

void set_column(Entrant& entrant, Column column, std::vector<double> samples) {
  if (samples.empty()) return;
  const Interval interval = median_interval(samples);
  entrant.columns[column] = {std::move(samples), interval};
}

using TimeOnce = Result<double> (CallTimer::*)();

std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// Times all in rounds and judges each against the baseline. `clock` gets a sample of the reference loop each round.
Status time_column(Contest& contest, std::vector<Contestant>& contestants, Column column, TimeOnce time,
                   const StopRule& rule, std::vector<double>& clock) {
  const std::size_t baseline = index_of(contest, contestants, contest.baseline);
  std::vector<Sample> samples;
  samples.reserve(contestants.size());
  for (Contestant& contestant : contestants) {
    samples.emplace_back([&]() -> Result<double> {
      if (&contestant == &contestants.front()) clock.push_back(time_reference_loop());
      return (*contestant.timer.*time)();
    });
  }
  KMUX_ASSIGN(Sampling sampling, sample_in_rounds(samples, baseline, rule, now));
  contest.stops[column] = std::string(to_string(sampling.stop));
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    Entrant& entrant = contest.entrants[contestants[i].entrant];
    if (i != baseline) {
      entrant.verdicts[column] = judge(sampling.series[i], sampling.series[baseline], sampling.looks, rule.verdict);
    }
    set_column(entrant, column, sampling.series[i]);
  }
  return Ok{};
}

void set_rates(const Contest& contest, Entrant& entrant) {
  const auto rate = [&](Column column, double amount) {
    if (amount <= 0) return;
    std::vector<double> rates = entrant.columns.at(kHeadline).samples;  // microseconds
    for (double& value : rates) value = amount / value / 1000;         // units of 10^9 a second
    set_column(entrant, column, std::move(rates));
  };
  rate(Column::kBytesRate, contest.bytes);
  rate(Column::kFlopRate, contest.flops);
}

void note_remarks(Entrant& entrant, const CallTimer& timer) {
  if (!timer.has_events()) entrant.remarks.emplace_back("no events: device times are the host's");
  if (!timer.can_flush()) entrant.remarks.emplace_back("no cache can be flushed: cold is as hot");
}

Result<StageTimes> time_in_a_folder(const Runtime& runtime, const Program& program, const BenchOptions& options,
                                    const Entrant& entrant, const Contestant& contestant) {
  KMUX_ASSIGN(const PrivateFolder folder, PrivateFolder::create("kmux-bench"));
  return time_stages(runtime, program, options_for(entrant, options.compile), *contestant.arguments, folder.path(),
                     options.repetitions);
}

}  // namespace

void time_stages_of(Runtime& runtime, const Program& program, const BenchOptions& options, Entrant& entrant,
                    const Contestant& contestant) {
  Result<StageTimes> times = time_in_a_folder(runtime, program, options, entrant, contestant);
  if (!times) {
    entrant.remarks.push_back("its stages are not timed: " + times.error().message);
    return;
  }
  set_column(entrant, Column::kResolve, std::move(times->resolve));
  set_column(entrant, Column::kWrap, std::move(times->wrap));
  set_column(entrant, Column::kBuild, std::move(times->build));
  set_column(entrant, Column::kLoad, std::move(times->load));
  set_column(entrant, Column::kFirstCall, std::move(times->first_call));
  set_column(entrant, Column::kPeakMemory, {static_cast<double>(times->peak_memory) / (1024 * 1024)});
  set_column(entrant, Column::kArtifactSize, {static_cast<double>(times->artifact_size) / 1024});
}

Status time_calls(Contest& contest, std::vector<Contestant>& contestants, const StopRule& rule) {
  for (Contestant& contestant : contestants) {
    KMUX_ASSIGN(CallTimer timer, CallTimer::make(*contestant.kernel, *contestant.arguments));
    note_remarks(contest.entrants[contestant.entrant], timer);
    contestant.timer.emplace(std::move(timer));
  }
  static constexpr std::pair<Column, TimeOnce> kTimed[] = {{Column::kDeviceHot, &CallTimer::device_hot},
                                                           {Column::kDeviceCold, &CallTimer::device_cold},
                                                           {Column::kHostCall, &CallTimer::host_call},
                                                           {Column::kEndToEnd, &CallTimer::end_to_end}};
  std::vector<double> clock;
  for (const auto& [column, time] : kTimed) KMUX_TRY(time_column(contest, contestants, column, time, rule, clock));
  contest.host_drift = drift_of(clock);
  for (const Contestant& contestant : contestants) set_rates(contest, contest.entrants[contestant.entrant]);
  return Ok{};
}

}  // namespace kmux::bench
