#pragma once

#include <cstddef>
#include <vector>

#include "kmux/bench/verdict.h"

namespace kmux::bench {

/// Two of several series that were sampled in the same rounds, by index, and what can be said of them.
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
