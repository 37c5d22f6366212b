#pragma once

#include <string>

#include "kmux/compile_options.h"
#include "kmux/environment.h"
#include "kmux/error.h"
#include "kmux/manifest.h"
#include "kmux/plugin/backend.h"

namespace kmux {

/// The option by which a backend is told its tier; "tiered" means the quickest first and the best afterwards.
inline constexpr const char* kTierOption = "tier";
inline constexpr const char* kTiered = "tiered";

/// Through which tiers of its backend a kernel goes.
struct TierPlan {
  std::string first;  // empty if the backend has no tiers
  std::string best;
  bool improves() const { return first != best; }
  bool operator==(const TierPlan&) const = default;
};

/// Reads option "tier", which the environment can set for a plugin ("cpu.tier"). The default is "tiered" for a kernel
/// that is run, and the best tier for one that is only built, as nobody is there to swap it.
///
/// Errors: invalid_argument that names the tiers for another value. A backend without tiers judges the option itself.
Result<TierPlan> plan_tiers(const Manifest& manifest, const Options& options, const Environment& environment,
                            Purpose purpose);

}  // namespace kmux
