#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "kmux/interval.h"

namespace kmux::bench {

/// The outcome of comparing two series of times.
enum class Verdict {
  kSame,       // no significant difference
  kFaster,     // decided
  kSlower,     // decided
  kAmbiguous,  // the interval decides neither
};

/// Returns "same", "faster", "slower" or "ambiguous".
std::string_view to_string(Verdict verdict);

/// The thresholds of the verdicts.
struct VerdictRule {
  /// Smallest difference for a verdict of faster or slower; the whole interval must exceed it. Units: fractions of the
  /// baseline.
  double negligible = 0.01;
  /// Two are the same if the whole interval is within this.
  double same = 0.02;
  /// The probability of a wrong verdict on any of the pairs, over all looks.
  double error = 0.01;
};

/// A verdict and its evidence.
struct Judgement {
  Verdict verdict = Verdict::kAmbiguous;
  /// Time of the contender over that of the baseline, with its interval.
  Interval ratio;
  std::size_t rounds = 0;
  bool operator==(const Judgement&) const = default;
};

/// Compares two series round by round, by the median of the logarithms of their ratios: a slow round affects both.
/// Assumes no distribution, only that rounds are alike.
///
/// `look` is the number of looks at this pair so far, from 1, each with more rounds. Stopping at the first wanted
/// verdict requires a higher confidence at each look. The looks share `rule.error` as 1/(1*2) + 1/(2*3) + ... = 1.
///
/// Shapes: the same number of samples; of unequal series the shorter counts. All samples must be positive.
/// Source: the interval is that of kmux/interval.h, with confidence 1 - rule.error / (look * (look + 1)).
Judgement judge(std::span<const double> contender, std::span<const double> baseline, std::size_t look = 1,
                const VerdictRule& rule = {});

/// Returns the verdict for a ratio known to be in `ratio`.
Verdict verdict_of(const Interval& ratio, const VerdictRule& rule);

/// Two of several series that were sampled in the same rounds, by index, and their judgement.
struct Pair {
  std::size_t first = 0;
  std::size_t second = 0;
  Judgement judgement = {};  // first over second
};

/// Returns the rule for each pair of `contestants` that keeps the probability of a wrong verdict on any pair at
/// `rule.error`: all pairs share it equally, as the looks at each do.
///
/// Source: Bonferroni's inequality, which is valid for pairs with common contestants.
VerdictRule rule_of_pairs(const VerdictRule& rule, std::size_t contestants);

/// Judges all pairs of `series`, after `look` looks; ordered by the first, then the second.
std::vector<Pair> judge_pairs(const std::vector<std::vector<double>>& series, std::size_t look,
                              const VerdictRule& rule);

}  // namespace kmux::bench
