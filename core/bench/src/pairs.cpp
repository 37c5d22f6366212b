#include "kmux/bench/pairs.h"

namespace kmux::bench {

VerdictRule rule_of_pairs(const VerdictRule& rule, std::size_t contestants) {
  VerdictRule each = rule;
  if (contestants > 2) each.error /= static_cast<double>(contestants * (contestants - 1)) / 2;
  return each;
}

std::vector<Pair> judge_pairs(const std::vector<std::vector<double>>& series, std::size_t look,
                              const VerdictRule& rule) {
  const VerdictRule each = rule_of_pairs(rule, series.size());
  std::vector<Pair> pairs;
  for (std::size_t first = 0; first < series.size(); ++first) {
    for (std::size_t second = first + 1; second < series.size(); ++second) {
      pairs.push_back({first, second, judge(series[first], series[second], look, each)});
    }
  }
  return pairs;
}

}  // namespace kmux::bench
