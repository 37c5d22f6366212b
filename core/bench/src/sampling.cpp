#include "kmux/bench/sampling.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "kmux/interval.h"

namespace kmux::bench {
namespace {

using Measured = std::vector<std::vector<double>>;

constexpr int kPatience = 5;  // multiple of the time limit for the fewest rounds

// Returns the contestant sampled at position `turn` of round `round`: each round begins with another contestant, every
// second one is reversed.
std::size_t turn_of(std::size_t turn, std::size_t round, std::size_t count) {
  const std::size_t step = round % 2 == 0 ? turn : count - 1 - turn;
  return (step + round / 2) % count;
}

Status sample_round(const std::vector<Sample>& contestants, std::size_t round, Measured& series) {
  for (std::size_t turn = 0; turn < contestants.size(); ++turn) {
    const std::size_t index = turn_of(turn, round, contestants.size());
    KMUX_ASSIGN(const double value, contestants[index]());
    series[index].push_back(value);
  }
  return Ok{};
}

bool is_narrow(const Interval& interval, double relative) {
  return interval.high - interval.low <= relative * interval.median;
}

bool is_decided(const Measured& series, std::size_t look, const StopRule& rule) {
  return series.size() > 1 && std::ranges::all_of(judge_pairs(series, look, rule.verdict), [](const Pair& pair) {
           return pair.judgement.verdict != Verdict::kAmbiguous;
         });
}

bool is_narrow(const Measured& series, double relative) {
  return std::ranges::all_of(series, [&](const std::vector<double>& samples) {
    return is_sure(samples.size()) && is_narrow(median_interval(samples), relative);
  });
}

// Returns the reason to stop sampling, or nothing to continue.
std::optional<Stop> why_enough(const Sampling& sampling, const StopRule& rule) {
  const bool is_shown = is_narrow(sampling.series, rule.shown_interval);
  if (is_shown && is_decided(sampling.series, sampling.looks, rule)) return Stop::kDecided;
  if (is_narrow(sampling.series, rule.relative_interval)) return Stop::kNarrow;
  return std::nullopt;
}

std::size_t next_look(std::size_t rounds) { return rounds + std::max<std::size_t>(1, rounds / 2); }

constexpr std::size_t kFewest = 9;
constexpr int kSteps = 20000;  // about 20 us: a chain of multiplications, four cycles each

Interval median_of(std::span<const double> series) {
  return median_interval(std::vector<double>(series.begin(), series.end()));
}

}  // namespace

std::string_view to_string(Stop stop) {
  switch (stop) {
    case Stop::kDecided:
      return "decided";
    case Stop::kNarrow:
      return "narrow";
    case Stop::kTime:
      return "time";
    case Stop::kRounds:
      return "rounds";
  }
  return "";
}

Result<Sampling> sample_in_rounds(const std::vector<Sample>& contestants, const StopRule& rule,
                                  const std::function<std::chrono::nanoseconds()>& now) {
  Measured unused(contestants.size());
  for (std::size_t round = 0; round < rule.warm_up; ++round) KMUX_TRY(sample_round(contestants, round, unused));
  Sampling sampling{Measured(contestants.size()), 0, Stop::kRounds};
  const std::chrono::nanoseconds begin = now();
  std::size_t look_at = std::max<std::size_t>(1, rule.fewest);
  for (std::size_t round = 0; round < rule.most; ++round) {
    KMUX_TRY(sample_round(contestants, round, sampling.series));
    const std::chrono::nanoseconds elapsed = now() - begin;
    const bool is_late = elapsed >= (round + 1 < rule.fewest ? kPatience * rule.time : rule.time);
    const bool is_last = round + 1 == rule.most || is_late;
    if (round + 1 < look_at && !is_last) continue;
    look_at = next_look(round + 1);
    ++sampling.looks;
    if (const auto stop = why_enough(sampling, rule)) return sampling.stop = *stop, sampling;
    if (is_last && is_late) return sampling.stop = Stop::kTime, sampling;
  }
  return sampling;
}

double drift_of(std::span<const double> series) {
  if (series.size() < kFewest) return 0;
  const std::size_t third = series.size() / 3;
  const Interval first = median_of(series.first(third));
  const Interval last = median_of(series.last(third));
  const bool may_be_noise = first.low <= last.high && last.low <= first.high;
  return may_be_noise ? 0 : last.median / first.median - 1;
}

double common_drift(const std::vector<std::vector<double>>& series) {
  if (series.empty()) return 0;
  std::vector<double> means(series.front().size());
  for (std::size_t round = 0; round < means.size(); ++round) {
    double logs = 0;
    for (const std::vector<double>& times : series) logs += std::log(times[round]);
    means[round] = std::exp(logs / static_cast<double>(series.size()));
  }
  return drift_of(means);
}

double time_reference_loop() {
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t value = 1;
  for (int i = 0; i < kSteps; ++i) {
    value = value * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(value));  // makes each step depend on the previous one
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace kmux::bench
