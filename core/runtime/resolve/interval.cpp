#include "kmux/interval.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace kmux {
namespace {

/// Returns the largest number of samples that may be left out on either side: P(Binomial(count, 1/2) < ends) <= tail.
std::size_t ends_outside(std::size_t count, double tail) {
  double log_term = -static_cast<double>(count) * std::numbers::ln2;  // of P(0), which underflows for many samples
  double sum = 0;
  std::size_t ends = 0;
  while (ends < count && sum + std::exp(log_term) <= tail) {
    sum += std::exp(log_term);
    log_term += std::log(static_cast<double>(count - ends) / static_cast<double>(ends + 1));
    ++ends;
  }
  return ends;
}

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

}  // namespace

Interval median_interval(std::vector<double> samples, double confidence) {
  std::ranges::sort(samples);
  const std::size_t ends = ends_outside(samples.size(), (1 - confidence) / 2);  // 0: too few samples for it
  const std::size_t low = ends == 0 ? 0 : ends - 1;
  return {median_of_sorted(samples), samples[low], samples[samples.size() - 1 - low]};
}

bool is_sure(std::size_t count, double confidence) { return ends_outside(count, (1 - confidence) / 2) > 0; }

Interval median_ratio(std::span<const double> contender, std::span<const double> baseline, double confidence) {
  std::vector<double> ratios(std::min(contender.size(), baseline.size()));
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = std::log(contender[i] / baseline[i]);
  const Interval logs = median_interval(std::move(ratios), confidence);
  return {std::exp(logs.median), std::exp(logs.low), std::exp(logs.high)};
}

double confidence_of_look(std::size_t look, double error) {
  return 1 - error / (static_cast<double>(look) * static_cast<double>(look + 1));
}

}  // namespace kmux
