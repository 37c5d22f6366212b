// SPDX-License-Identifier: Apache-2.0
#include "candidate_build.h"

#include <utility>

#include "artifact/tier_build.h"
#include "kernel/kernel_impl.h"
#include "resolve/backend_history.h"

namespace kmux {
namespace {

DatedBuild result_of(const Choice& choice, TierBuild made, const std::string& tier) {
  BuildResult result{.backend = choice.plugin->manifest().name,
                     .variant = choice.request.variant,
                     .target = choice.request.target,
                     .launcher = std::move(made.launcher),
                     .artifact = std::move(made.artifact),
                     .tier = tier,
                     .from_cache = made.from_cache()};
  return {std::move(result), made.began};
}

/// Returns true for code with constants, which callers set: a replacement would not have their values.
bool has_constants(const Choice& choice) { return !choice.request.program.constants.empty(); }

}  // namespace

Result<DatedBuild> build_candidate(Choice choice, ArtifactCache* cache, BackendHistory& history, bool keeps_times) {
  TierPlan& tiers = choice.tiers;
  if (has_constants(choice)) tiers.first = tiers.best;
  if (tiers.improves()) {
    if (auto best = find_tier(choice, tiers.best, cache)) return result_of(choice, *std::move(best), tiers.best);
  }
  KMUX_ASSIGN(TierBuild first, build_tier(choice, tiers.first, cache));
  if (first.compile_ms)
    history.compile_times.note(choice.plugin->manifest(), tiers.first, *first.compile_ms, keeps_times);
  if (tiers.improves() && keeps_values(first.artifact)) {  // a replacement would reset them
    KMUX_ASSIGN(TierBuild best, build_tier(choice, tiers.best, cache));
    return result_of(choice, std::move(best), tiers.best);
  }
  return result_of(choice, std::move(first), tiers.first);
}

std::optional<DatedBuild> find_candidate(const Choice& choice, ArtifactCache* cache) {
  const TierPlan& tiers = choice.tiers;
  if (auto best = find_tier_here(choice, tiers.best, cache)) return result_of(choice, *std::move(best), tiers.best);
  if (!tiers.improves() || has_constants(choice)) return std::nullopt;
  auto first = find_tier_here(choice, tiers.first, cache);
  if (!first || keeps_values(first->artifact)) return std::nullopt;
  return result_of(choice, *std::move(first), tiers.first);
}

Result<WrapResult> wrap_candidate(const Choice& choice) {
  KMUX_ASSIGN(std::string launcher, choice.backend->wrapper().wrap(request_in_tier(choice, choice.tiers.first)));
  return WrapResult{.backend = choice.plugin->manifest().name,
                    .variant = choice.request.variant,
                    .target = choice.request.target,
                    .launcher = std::move(launcher)};
}

}  // namespace kmux
