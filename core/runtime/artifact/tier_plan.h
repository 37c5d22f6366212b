// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kmux/compile_options.h"
#include "kmux/error.h"
#include "kmux/manifest.h"

namespace kmux {

/// The option that sets the tier of a backend; "tiered" means the quickest first and the best afterwards.
inline constexpr const char* kTierOption = "tier";
inline constexpr const char* kTiered = "tiered";

/// The sequence of tiers of a kernel.
struct TierPlan {
  std::string first;  // empty if the backend has no tiers
  std::string best;
  bool improves() const { return first != best; }
  bool operator==(const TierPlan&) const = default;
};

/// Reads option "tier" of `options`, else of `registered`, the options of a registry ("cpu.tier"). The default is
/// "tiered" for a kernel that will run. For one that is only built it is the best tier, as no kernel would swap its
/// code.
///
/// Errors: invalid_argument with the valid tiers for another value. A backend without tiers checks the option itself.
Result<TierPlan> plan_tiers(const Manifest& manifest, const Options& options, const Options& registered,
                            Purpose purpose);

}  // namespace kmux
