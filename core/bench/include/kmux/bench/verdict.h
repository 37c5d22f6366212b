#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "kmux/interval.h"

namespace kmux::bench {

/// The judgement of two series of times.
enum class Verdict {
  kSame,       // no difference that matters
  kFaster,     // surely
  kSlower,     // surely
  kAmbiguous,  // the interval decides neither
};

/// "same", "faster", "slower", "ambiguous".
std::string_view to_string(Verdict verdict);

/// Where the verdicts lie.
struct VerdictRule {
  /// A difference must surely be larger than this to be called one. Units: parts of the baseline.
  double negligible = 0.01;
  /// Two are the same if they surely differ by less than this.
  double same = 0.02;
  /// The probability of a wrong word about any of the pairs, however often they were looked at.
  double error = 0.01;
};

/// A verdict and what it rests on.
struct Judgement {
  Verdict verdict = Verdict::kAmbiguous;
  /// Time of the contender over that of the baseline, with its interval.
  Interval ratio;
  std::size_t rounds = 0;
  bool operator==(const Judgement&) const = default;
};

/// Compares two series round by round, by the median of the logarithms of their ratios: whatever slows a round slows both.
/// No distribution is assumed, only that rounds are alike.
///
/// `look` counts from 1 how often this pair has been looked at, each time with more rounds: stopping at the first wanted verdict
/// takes a higher confidence the later it is. The looks share `rule.error` as 1/(1*2) + 1/(2*3) + ... = 1.
///
/// Shapes: the same number of samples; of unequal series the shorter counts. All samples are positive.
/// Source: the interval is that of kmux/interval.h, with confidence 1 - rule.error / (look * (look + 1)).
Judgement judge(std::span<const double> contender, std::span<const double> baseline, std::size_t look = 1,
                const VerdictRule& rule = {});

/// The verdict for a ratio that is known to lie in `ratio`.
Verdict verdict_of(const Interval& ratio, const VerdictRule& rule);

/// Two of several series that were sampled in the same rounds, by index, and the judgement of them.
struct Pair {
  std::size_t first = 0;
  std::size_t second = 0;
  Judgement judgement = {};  // of the first over the second
};

/// The rule for each pair of `contestants`, so that the probability of a wrong word about any of them is `rule.error`: all
/// pairs share it alike, as the looks at each do.
///
/// Source: Bonferroni's inequality, which holds for pairs that have contestants in common.
VerdictRule rule_of_pairs(const VerdictRule& rule, std::size_t contestants);

/// Judges every two of `series`, which were looked at `look` times; ordered by the first, then the second.
std::vector<Pair> judge_pairs(const std::vector<std::vector<double>>& series, std::size_t look,
                              const VerdictRule& rule);

}  // namespace kmux::bench
