#include "entrants.h"

#include <algorithm>

#include "kmux/bench/assignment.h"
#include "kmux/plugin/nearest.h"
#include "kmux/plugin/words.h"

namespace kmux::bench {
namespace {

/// The best that resolving says of a backend, or null: what can be taken, else the first refusal.
const Candidate* best_of(const Resolution& resolution, std::string_view backend) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : resolution.candidates) {
    if (candidate.backend != backend) continue;
    if (candidate.verdict != kmux::Verdict::kRefused) return &candidate;
    if (best == nullptr) best = &candidate;
  }
  return best;
}

Entrant entrant_of(const std::string& text, const Candidate& candidate) {
  Entrant entrant{.backend = text, .target = candidate.target, .tier = {}};
  if (candidate.verdict != kmux::Verdict::kRefused) return entrant;
  entrant.state = EntrantState::kUnavailable;
  entrant.problem = candidate.reason;
  return entrant;
}

/// The names of all candidates, each once, in their order.
std::vector<std::string> all_names(const Resolution& resolution) {
  std::vector<std::string> names;
  for (const Candidate& candidate : resolution.candidates) {
    if (std::ranges::find(names, candidate.backend) == names.end()) names.push_back(candidate.backend);
  }
  return names;
}

}  // namespace

Result<BackendSpec> read_backend(const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  BackendSpec spec{text, text.substr(0, colon), {}};
  for (std::size_t begin = colon + 1; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    KMUX_ASSIGN(auto pair, split_assignment("the option of backend " + spec.name, text.substr(begin, end - begin)));
    spec.options.insert_or_assign(std::move(pair.first), std::move(pair.second));
    begin = end + 1;
  }
  return spec;
}

Result<std::vector<Entrant>> entrants_of(const Resolution& resolution, const std::vector<std::string>& wanted) {
  std::vector<Entrant> entrants;
  for (const std::string& text : wanted.empty() ? all_names(resolution) : wanted) {
    KMUX_ASSIGN(const BackendSpec spec, read_backend(text));
    const Candidate* const candidate = best_of(resolution, spec.name);
    const bool is_twice = std::ranges::find(entrants, text, &Entrant::backend) != entrants.end();
    if (candidate == nullptr || is_twice) {
      const std::vector<std::string> known = all_names(resolution);
      return make_error(ErrorCode::kInvalidArgument, "\"" + text + "\" cannot be measured (" +
                                                         (is_twice ? "it is named twice" : "there is no such backend") +
                                                         ")." + did_you_mean(spec.name, known) +
                                                         " Name each once: " + join(known) + ".");
    }
    entrants.push_back(entrant_of(text, *candidate));
  }
  return entrants;
}

void set_column(Entrant& entrant, Column column, std::vector<double> samples) {
  if (samples.empty()) return;
  const Interval interval = median_interval(samples);
  entrant.columns[column] = {std::move(samples), interval};
}

const Entrant* find_entrant(const Contest& contest, std::string_view backend) {
  const auto found = std::ranges::find(contest.entrants, backend, &Entrant::backend);
  return found == contest.entrants.end() ? nullptr : &*found;
}

bool takes_part(const Contest& contest, std::string_view backend) {
  const Entrant* const entrant = find_entrant(contest, backend);
  return entrant != nullptr && entrant->state == EntrantState::kTimed;
}

Status check_role(const Contest& contest, const std::string& role, const std::string& backend) {
  if (takes_part(contest, backend)) return Ok{};
  std::vector<std::string> names;
  for (const Entrant& entrant : contest.entrants) {
    if (entrant.state == EntrantState::kTimed) names.push_back(entrant.backend);
  }
  return make_error(ErrorCode::kUnavailable, "the " + role + " \"" + backend + "\" does not run program \"" +
                                                 contest.program + "\" here." + did_you_mean(backend, names) +
                                                 " Name one that does: " + join(names, "none") + ".");
}

}  // namespace kmux::bench
