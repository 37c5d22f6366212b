#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kmux/manifest.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/features.h"
#include "kmux/resolver.h"

#include "inquiry.h"

namespace kmux {

/// What is known of one plugin. Whoever gathers it stops at the stage that refuses every variant, so later members may
/// still say "fine".
struct PluginFacts {
  Manifest manifest;
  Status opened = Ok{};
  Result<ProbeReport> probe = ProbeReport{};
  Result<Target> target = Target{};
  std::vector<Result<std::vector<MissingFeature>>> missing = {};  // one a variant; absent: nothing is
};

/// How far a plugin gets on this machine, and why no further.
struct Reach {
  Purpose purpose = Purpose::kRun;
  std::string obstacle = {};
};
Reach reach_of(const ProbeReport& probe);

/// Why a stage refuses a plugin with a variant.
struct Refusal {
  ErrorCode code;
  std::string reason;
};

/// The stages that refuse, in order.
inline constexpr Stage kRefusingStages[] = {Stage::kManifest, Stage::kOpen, Stage::kProbe, Stage::kTarget,
                                            Stage::kSupports};

/// What `stage` says about `variant`, from the facts alone; nothing if it lets it pass.
std::optional<Refusal> refusal(const Inquiry& inquiry, const PluginFacts& facts, std::size_t variant, Stage stage);

/// Every plugin with every variant, best first, one chosen if any is possible. A pure function.
std::vector<Candidate> rank(const Inquiry& inquiry, const std::vector<PluginFacts>& facts);

/// Marks the chosen candidate as one whose compiler refused it, and chooses the next.
void pass_over_chosen(std::vector<Candidate>& candidates, const std::string& reason);

/// Chooses the one at `index`, which is possible, in place of the one that is chosen, and puts it first.
void choose_candidate(std::vector<Candidate>& candidates, std::size_t index, const std::string& reason);

}  // namespace kmux
