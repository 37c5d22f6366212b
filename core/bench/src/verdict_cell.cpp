#include "verdict_cell.h"

#include "kmux/bench/figure.h"

namespace kmux::bench {

VerdictCell verdict_cell(const Judgement& judgement) {
  const std::string word(to_string(judgement.verdict));
  const bool is_sure = judgement.verdict == Verdict::kFaster || judgement.verdict == Verdict::kSlower;
  const std::string interval = ratio_spread(judgement.ratio);
  if (is_sure) return {word, ratio_text(judgement.ratio), interval};
  return {word, word, judgement.verdict == Verdict::kSame ? interval : ratio_text(judgement.ratio) + ", " + interval};
}

VerdictCell verdict_cell(const Contest& contest, const Entrant& entrant, Column column) {
  const std::string state(to_string(entrant.state));
  if (entrant.state != EntrantState::kTimed) return {state, state, entrant.problem};
  if (entrant.backend == contest.baseline) return {"baseline", "baseline"};
  const auto found = entrant.verdicts.find(column);
  return found == entrant.verdicts.end() ? VerdictCell{} : verdict_cell(found->second);
}

}  // namespace kmux::bench
