#include "ranking.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace kmux {
namespace {

Candidate judge(const Inquiry& inquiry, const PluginFacts& facts, std::size_t variant) {
  Candidate candidate{.backend = facts.manifest.name,
                      .variant = variant,
                      .dialect = inquiry.program.variants[variant].dialect,
                      .priority = facts.manifest.priority};
  for (const Stage stage : kRefusingStages) {
    candidate.stage = stage;
    if (stage == Stage::kSupports) candidate.target = to_string(*facts.target);
    if (const auto refused = refusal(inquiry, facts, variant, stage)) {
      candidate.code = refused->code;
      candidate.reason = refused->reason;
      return candidate;
    }
  }
  candidate.stage = Stage::kPolicy;
  candidate.verdict = Verdict::kPossible;
  return candidate;
}

/// Possible ones first, then those that came furthest; the policy orders equals: priority, variant, name.
bool is_better(const Candidate& a, const Candidate& b) {
  const auto key = [](const Candidate& c) {
    return std::tuple(c.verdict == Verdict::kRefused, -static_cast<int>(c.stage), -c.priority, c.variant,
                      std::string_view(c.backend));
  };
  return key(a) < key(b);
}

bool is_possible(const Candidate& candidate) { return candidate.verdict == Verdict::kPossible; }

std::string why_first(const std::vector<Candidate>& candidates) {
  if (candidates.size() < 2 || !is_possible(candidates[1])) return "the only one that can";
  const Candidate& first = candidates[0];
  const Candidate& second = candidates[1];
  if (first.priority > second.priority) return "highest priority of those that can";
  if (first.variant < second.variant) return "earliest variant at this priority";
  return "first by name at this priority";
}

/// Sorts, and chooses the first if it is possible.
void choose(std::vector<Candidate>& candidates) {
  std::sort(candidates.begin(), candidates.end(), is_better);
  if (candidates.empty() || !is_possible(candidates.front())) return;
  Candidate& first = candidates.front();
  first.reason = why_first(candidates);
  first.verdict = Verdict::kChosen;
  for (Candidate& candidate : candidates)
    if (is_possible(candidate)) candidate.reason = "can too; '" + first.backend + "' comes first";
}

}  // namespace

std::vector<Candidate> rank(const Inquiry& inquiry, const std::vector<PluginFacts>& facts) {
  std::vector<Candidate> candidates;
  for (const PluginFacts& plugin : facts)
    for (std::size_t variant = 0; variant < inquiry.program.variants.size(); ++variant)
      candidates.push_back(judge(inquiry, plugin, variant));
  choose(candidates);
  return candidates;
}

void choose_candidate(std::vector<Candidate>& candidates, std::size_t index, const std::string& reason) {
  const auto chosen = candidates.begin() + static_cast<std::ptrdiff_t>(index);
  std::rotate(candidates.begin(), chosen, chosen + 1);
  for (Candidate& candidate : candidates) {
    if (candidate.verdict == Verdict::kRefused) continue;
    candidate.verdict = Verdict::kPossible;
    candidate.reason = "can too; '" + candidates.front().backend + "' comes first";
  }
  candidates.front().verdict = Verdict::kChosen;
  candidates.front().reason = reason;
}

void pass_over_chosen(std::vector<Candidate>& candidates, const std::string& reason) {
  for (Candidate& candidate : candidates) {
    if (candidate.verdict != Verdict::kChosen) continue;
    candidate.stage = Stage::kBuild;
    candidate.verdict = Verdict::kRefused;
    candidate.code = ErrorCode::kUnsupported;
    candidate.reason = reason;
  }
  choose(candidates);
}

}  // namespace kmux
