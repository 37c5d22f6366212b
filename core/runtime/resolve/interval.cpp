#include "kmux/interval.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kmux {
namespace {

/// The greatest number of samples that may be left out on either side: P(Binomial(count, 1/2) < ends) <= tail.
std::size_t ends_outside(std::size_t count, double tail) {
  double log_term =
      -static_cast<double>(count) * std::numbers::ln2;  // of P(0), which many samples make too small to hold
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
  const std::size_t ends = ends_outside(samples.size(), (1 - confidence) / 2);  // 0: not even all of them are that sure
  const std::size_t low = ends == 0 ? 0 : ends - 1;
  return {median_of_sorted(samples), samples[low], samples[samples.size() - 1 - low]};
}

bool is_sure(std::size_t count, double confidence) { return ends_outside(count, (1 - confidence) / 2) > 0; }

}  // namespace kmux
