#include "winner.h"

#include <algorithm>

#include "kmux/interval.h"

namespace kmux {
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
