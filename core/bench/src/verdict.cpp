#include "kmux/bench/verdict.h"

#include <algorithm>
#include <vector>

namespace kmux::bench {
std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSame:
      return "same";
    case Verdict::kFaster:
      return "faster";
    case Verdict::kSlower:
      return "slower";
    case Verdict::kAmbiguous:
      return "ambiguous";
  }
  return "";
}

Verdict verdict_of(const Interval& ratio, const VerdictRule& rule) {
  if (ratio.low > 1 + rule.negligible) return Verdict::kSlower;
  if (ratio.high < 1 / (1 + rule.negligible)) return Verdict::kFaster;
  const bool is_same = ratio.high < 1 + rule.same && ratio.low > 1 / (1 + rule.same);
  return is_same ? Verdict::kSame : Verdict::kAmbiguous;
}

Judgement judge(std::span<const double> contender, std::span<const double> baseline, std::size_t look,
                const VerdictRule& rule) {
  Judgement judgement;
  judgement.rounds = std::min(contender.size(), baseline.size());
  if (judgement.rounds == 0) return {};
  const double confidence = confidence_of_look(look, rule.error);
  judgement.ratio = median_ratio(contender, baseline, confidence);
  if (is_sure(judgement.rounds, confidence)) judgement.verdict = verdict_of(judgement.ratio, rule);
  return judgement;
}

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
