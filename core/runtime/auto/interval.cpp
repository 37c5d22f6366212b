#include "interval.h"

#include <algorithm>
#include <cmath>

namespace kmux {
namespace {

constexpr std::size_t kFewestRounds = 8;  // 2 * 0.5^8 < 1 %
constexpr double kTail = 0.005;           // on either side
constexpr double kWorthIt = 0.01;         // of the incumbent's median

/// The greatest number of samples that may be left out on either side: P(Binomial(count, 1/2) < ends) <= kTail.
std::size_t ends_outside(std::size_t count) {
  double term = std::pow(0.5, static_cast<double>(count));  // P(0)
  double sum = 0;
  std::size_t ends = 0;
  while (sum + term <= kTail) {
    sum += term;
    term *= static_cast<double>(count - ends) / static_cast<double>(ends + 1);
    ++ends;
  }
  return ends;
}

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

}  // namespace

Interval median_interval(std::vector<double> samples) {
  std::ranges::sort(samples);
  const std::size_t ends = ends_outside(samples.size());  // 0: not even all of them are that sure
  const std::size_t low = ends == 0 ? 0 : ends - 1;
  return {median_of_sorted(samples), samples[low], samples[samples.size() - 1 - low]};
}

bool beats(std::span<const double> challenger, std::span<const double> incumbent) {
  const std::size_t rounds = std::min(challenger.size(), incumbent.size());
  if (rounds < kFewestRounds) return false;
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
