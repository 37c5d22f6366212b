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
  Reach reach = reach_of(*facts.probe);
  candidate.reach = reach.purpose;
  candidate.obstacle = std::move(reach.obstacle);
  candidate.stage = Stage::kPolicy;
  candidate.verdict = Verdict::kPossible;
  return candidate;
}

/// Possible ones first, and of these what runs here; then those that came furthest. The policy orders equals: priority,
/// variant, name.
bool is_better(const Candidate& a, const Candidate& b) {
  const auto key = [](const Candidate& c) {
    const bool is_refused = c.verdict == Verdict::kRefused;
    return std::tuple(is_refused, is_refused ? 0 : -static_cast<int>(c.reach), -static_cast<int>(c.stage), -c.priority,
                      c.variant, std::string_view(c.backend));
  };
  return key(a) < key(b);
}

bool is_possible(const Candidate& candidate) { return candidate.verdict == Verdict::kPossible; }

std::string why_before(const Candidate& first, const Candidate& second) {
  if (first.reach > second.reach) return "the only one that can " + std::string(to_string(first.reach)) + " here";
  if (first.priority > second.priority) return "highest priority of those that can";
  if (first.variant < second.variant) return "earliest variant at this priority";
  return "first by name at this priority";
}

std::string why_first(const std::vector<Candidate>& candidates) {
  const Candidate& first = candidates[0];
  const bool is_alone = candidates.size() < 2 || !is_possible(candidates[1]);
  const std::string why = is_alone ? "the only one that can" : why_before(first, candidates[1]);
  return first.obstacle.empty() ? why : why + "; " + first.obstacle;
}

std::string why_not_first(const Candidate& candidate, const Candidate& first) {
  if (candidate.reach >= first.reach) return "can too; '" + first.backend + "' comes first";
  return "comes after '" + first.backend + "': " + candidate.obstacle;
}

/// Sorts, and chooses the first if it is possible.
void choose(std::vector<Candidate>& candidates) {
  std::sort(candidates.begin(), candidates.end(), is_better);
  if (candidates.empty() || !is_possible(candidates.front())) return;
  Candidate& first = candidates.front();
  first.reason = why_first(candidates);
  first.verdict = Verdict::kChosen;
  for (Candidate& candidate : candidates)
    if (is_possible(candidate)) candidate.reason = why_not_first(candidate, first);
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
    candidate.reason = why_not_first(candidate, candidates.front());
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
