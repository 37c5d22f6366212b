#pragma once

#include <string>
#include <vector>

#include "kmux/resolver.h"

#include "refusal.h"

namespace kmux {

/// Every plugin with every variant, best first, one chosen if any is possible. A pure function.
std::vector<Candidate> rank(const Inquiry& inquiry, const std::vector<PluginFacts>& facts);

/// Marks the chosen candidate as one whose compiler refused it, and chooses the next.
void pass_over_chosen(std::vector<Candidate>& candidates, const std::string& reason);

/// Chooses the one at `index`, which is possible, in place of the one that is chosen, and puts it first.
void choose_candidate(std::vector<Candidate>& candidates, std::size_t index, const std::string& reason);

}  // namespace kmux
