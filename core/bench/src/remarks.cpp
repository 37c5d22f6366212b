#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "kmux/bench/figure.h"
#include "kmux/bench/sampling.h"
#include "kmux/plugin/word_list.h"

#include "contest.h"

namespace kmux::bench {

std::vector<std::string> remarks_of(const Contest& contest) {
  std::vector<std::pair<std::string, std::vector<std::string>>> said;  // with their backends
  for (const Entrant& entrant : contest.entrants) {
    for (const std::string& remark : entrant.remarks) {
      auto found = std::ranges::find(said, remark, &std::pair<std::string, std::vector<std::string>>::first);
      if (found == said.end()) found = said.insert(said.end(), {remark, {}});
      found->second.push_back(entrant.backend);
    }
  }
  std::vector<std::string> remarks;
  remarks.reserve(said.size());
  for (const auto& [remark, names] : said) remarks.push_back(join(names) + ": " + remark);
  return remarks;
}

namespace {

std::string percent(double part) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.1f %%", 100 * part);
  return text.data();
}

}  // namespace

std::string drift_text(const Contest& contest) {
  std::vector<std::string> drifts;
  if (std::abs(contest.host_drift) > kDriftToTell) drifts.push_back("the host's by " + percent(contest.host_drift));
  for (const auto& [device, drift] : contest.device_drift) {
    if (std::abs(drift) > kDriftToTell) drifts.push_back(device + "'s by " + percent(drift));
  }
  if (drifts.empty()) return "";
  return "clocks drifted meanwhile, " + join(drifts) + ": ratios hold, times are less sure than they look";
}

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
