#include "kmux/bench/drift.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kmux/interval.h"

namespace kmux::bench {
namespace {

constexpr std::size_t kFewest = 9;
constexpr int kSteps = 20000;  // about 20 us: a chain of multiplications, four cycles each

Interval median_of(std::span<const double> series) {
  return median_interval(std::vector<double>(series.begin(), series.end()));
}

}  // namespace

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
    asm volatile("" : "+r"(value));  // each step needs the one before
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace kmux::bench
