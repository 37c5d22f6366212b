// SPDX-License-Identifier: Apache-2.0
#include "tier_plan.h"

#include <algorithm>
#include <vector>

#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/word_list.h"

namespace kmux {
namespace {

std::string asked_tier(const Manifest& manifest, const Options& options, const Options& registered) {
  if (const auto given = options.find(kTierOption); given != options.end()) return given->second;
  const auto set = registered.find(manifest.name + "." + kTierOption);
  return set == registered.end() ? kTiered : set->second;
}

Error unknown_tier(const Manifest& manifest, const std::string& tier) {
  std::vector<std::string> known = manifest.tiers;
  known.emplace_back(kTiered);
  return make_error(ErrorCode::kInvalidArgument, R"(option "tier" cannot be ")" + tier + "\" (backend " +
                                                     manifest.name + " has " + join(known) + ")." +
                                                     did_you_mean(tier, known) + " Use one of them.");
}

}  // namespace

Result<TierPlan> plan_tiers(const Manifest& manifest, const Options& options, const Options& registered,
                            Purpose purpose) {
  if (manifest.tiers.empty()) return TierPlan{};
  const std::string asked = asked_tier(manifest, options, registered);
  const std::string& best = manifest.tiers.back();
  if (asked == kTiered) return TierPlan{purpose == Purpose::kRun ? manifest.tiers.front() : best, best};
  if (std::ranges::find(manifest.tiers, asked) == manifest.tiers.end()) return unknown_tier(manifest, asked);
  return TierPlan{asked, asked};
}

}  // namespace kmux
