#include "kmux/bench/verdict.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kmux::bench {
namespace {

std::vector<double> log_ratios(std::span<const double> contender, std::span<const double> baseline) {
  std::vector<double> ratios(std::min(contender.size(), baseline.size()));
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = std::log(contender[i] / baseline[i]);
  return ratios;
}

double confidence_of(std::size_t look, const VerdictRule& rule) {
  return 1 - rule.error / (static_cast<double>(look) * static_cast<double>(look + 1));
}

}  // namespace

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
  std::vector<double> ratios = log_ratios(contender, baseline);
  if (ratios.empty()) return {};
  Judgement judgement;
  judgement.rounds = ratios.size();
  const double confidence = confidence_of(look, rule);
  const Interval logs = median_interval(std::move(ratios), confidence);
  judgement.ratio = {std::exp(logs.median), std::exp(logs.low), std::exp(logs.high)};
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
