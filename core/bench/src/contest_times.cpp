#include "contest_times.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "kmux/bench/drift.h"
#include "kmux/bench/sampling.h"
#include "kmux/bench/verdict.h"

#include "contestant.h"

namespace kmux::bench {
namespace {

using TimeOnce = Result<double> (CallTimer::*)();

constexpr std::array<std::pair<Column, TimeOnce>, 4> kTimed = {{{Column::kDeviceHot, &CallTimer::device_hot},
                                                                {Column::kDeviceCold, &CallTimer::device_cold},
                                                                {Column::kHostCall, &CallTimer::host_call},
                                                                {Column::kEndToEnd, &CallTimer::end_to_end}}};

std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// Fills `column` with `amount` over the times of a call, which are in microseconds.
void set_rate(Entrant& entrant, Column column, double amount, Column time) {
  if (amount <= 0) return;
  std::vector<double> rates = entrant.columns.at(time).samples;
  for (double& value : rates) value = amount / value;
  set_column(entrant, column, std::move(rates));
}

void note_remarks(Entrant& entrant, const CallTimer& timer) {
  if (!timer.has_events()) entrant.remarks.emplace_back("no clock of its own: device times are the host's");
  if (!timer.can_flush()) entrant.remarks.emplace_back("no cache can be flushed: cold is one call, as it comes");
}

/// The calls of a contest while they are timed.
class CallRounds {
 public:
  CallRounds(Contest& contest, std::vector<Contestant>& contestants, const StopRule& rule, Refill refill,
             const BenchProgress& progress, const std::stop_token& cancel)
      : contest_(contest),
        contestants_(contestants),
        rule_(rule),
        refill_(refill),
        progress_(progress),
        cancel_(cancel) {}

  Status prepare() {
    for (Contestant& contestant : contestants_) {
      KMUX_TRY(contestant.arguments->refill());
      KMUX_ASSIGN(CallTimer timer, CallTimer::make(*contestant.kernel, *contestant.arguments));
      note_remarks(entrant_of(contestant), timer);
      contestant.timer.emplace(std::move(timer));
    }
    if (refill_ == Refill::kEachSample) make_alike();
    for (Contestant& contestant : contestants_) KMUX_TRY(contestant.arguments->refill());
    return Ok{};
  }

  /// Times all in rounds, and judges them.
  Status time_column(Column column, TimeOnce time) {
    std::vector<Sample> samples;
    samples.reserve(contestants_.size());
    for (Contestant& contestant : contestants_) {
      samples.emplace_back([this, time, &contestant] { return sample(contestant, time); });
    }
    title_ = info(column).title;
    begin_ = now();
    KMUX_ASSIGN(const Sampling sampling, sample_in_rounds(samples, rule_, now));
    ++done_;
    contest_.stops[column] = std::string(to_string(sampling.stop));
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      set_column(entrant_of(contestants_[i]), column, sampling.series[i]);
    }
    judge_pairs_of(column, sampling);
    judge_against_baseline(column, sampling);
    if (column == Column::kDeviceHot || column == Column::kDeviceCold) note_device_drift(sampling);
    return Ok{};
  }

  void finish() {
    constexpr double kGigaASecond = 1e-3;  // one a microsecond is 10^6 a second
    contest_.host_drift = drift_of(clock_);
    for (const Contestant& contestant : contestants_) {
      Entrant& entrant = entrant_of(contestant);
      set_rate(entrant, Column::kThroughput, 1e6, Column::kEndToEnd);
      set_rate(entrant, Column::kBytesRate, contest_.bytes * kGigaASecond, kHeadline);
      set_rate(entrant, Column::kFlopRate, contest_.flops * kGigaASecond, kHeadline);
    }
  }

 private:
  Entrant& entrant_of(const Contestant& contestant) { return contest_.entrants[contestant.entrant]; }

  Result<double> sample(Contestant& contestant, TimeOnce time) {
    if (cancel_.stop_requested()) return make_error(ErrorCode::kUnavailable, "the benchmark was stopped.");
    if (&contestant == &contestants_.front()) {
      clock_.push_back(time_reference_loop());
      tell();
    }
    if (refill_ == Refill::kEachSample) KMUX_TRY(contestant.arguments->refill());
    return (*contestant.timer.*time)();
  }

  /// Which part of all columns is done, if each takes its time to the end.
  void tell() const {
    const std::chrono::duration<double> limit = rule_.time;
    const double part = limit.count() > 0 ? std::min(1.0, (now() - begin_) / limit) : 1;
    progress_(title_, (done_ + part) / static_cast<double>(kTimed.size()));
  }

  /// Lets all make the same number of calls a sample, so that all meet the same values.
  void make_alike() {
    int fewest = std::numeric_limits<int>::max();
    for (const Contestant& contestant : contestants_) fewest = std::min(fewest, contestant.timer->burst());
    for (Contestant& contestant : contestants_) {
      contestant.timer->set_burst(fewest);
      entrant_of(contestant)
          .remarks.push_back("a call changes what the next one reads: before each sample of " + std::to_string(fewest) +
                             (fewest == 1 ? " call" : " calls") + " the memory is filled anew");
    }
  }

  void judge_pairs_of(Column column, const Sampling& sampling) {
    for (const Pair& pair : judge_pairs(sampling.series, sampling.looks, rule_.verdict)) {
      contest_.pairs[column].push_back({entrant_of(contestants_[pair.first]).backend,
                                        entrant_of(contestants_[pair.second]).backend, pair.judgement});
    }
  }

  /// By the rule of the pairs, so that these verdicts are theirs.
  void judge_against_baseline(Column column, const Sampling& sampling) {
    const std::size_t baseline = index_of(contest_, contestants_, contest_.baseline);
    const VerdictRule rule = rule_of_pairs(rule_.verdict, contestants_.size());
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      if (i == baseline) continue;
      entrant_of(contestants_[i]).verdicts[column] =
          judge(sampling.series[i], sampling.series[baseline], sampling.looks, rule);
    }
  }

  /// What the first contestant on the same device calls it: each backend has a name of its own.
  std::string name_of_device(const Contestant& contestant) const {
    const Device device = contestant.kernel->device();
    const auto first =
        std::ranges::find_if(contestants_, [&](const Contestant& other) { return other.kernel->device() == device; });
    return first->kernel->device().to_string();
  }

  /// Notes how far each device has drifted meanwhile, unless it was more in another column.
  void note_device_drift(const Sampling& sampling) {
    std::map<std::string, std::vector<std::vector<double>>> series;
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      if (contestants_[i].timer->has_events()) series[name_of_device(contestants_[i])].push_back(sampling.series[i]);
    }
    for (const auto& [device, times] : series) {
      double& drift = contest_.device_drift[device];
      const double found = common_drift(times);
      if (std::abs(found) > std::abs(drift)) drift = found;
    }
  }

  Contest& contest_;
  std::vector<Contestant>& contestants_;
  const StopRule& rule_;
  Refill refill_;
  const BenchProgress& progress_;
  const std::stop_token& cancel_;
  std::string title_ = {};  // of the column that is timed
  std::chrono::nanoseconds begin_{};
  double done_ = 0;  // columns
  std::vector<double> clock_ = {};  // of the reference loop, one a round
};

}  // namespace

Status time_calls(Contest& contest, std::vector<Contestant>& contestants, const StopRule& rule, Refill refill,
                  const BenchProgress& progress, const std::stop_token& cancel) {
  CallRounds rounds(contest, contestants, rule, refill, progress, cancel);
  KMUX_TRY(rounds.prepare());
  for (const auto& [column, time] : kTimed) KMUX_TRY(rounds.time_column(column, time));
  rounds.finish();
  return Ok{};
}

}  // namespace kmux::bench
