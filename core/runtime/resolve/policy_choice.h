#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/environment.h"
#include "kmux/error.h"
#include "kmux/manifest.h"
#include "kmux/resolver.h"
#include "kmux/runtime.h"

#include "ranking.h"

namespace kmux {

/// Lets the policy choose among the candidates of `resolution`, where the one of the highest priority is chosen so far,
/// and fills in what is known of them.
void choose_by_policy(Runtime& runtime, const Inquiry& inquiry, const std::vector<const Manifest*>& manifests,
                      Resolution& resolution);

/// `asked`, or the environment's policy.
///
/// Errors: invalid_argument if the environment's is unknown.
Result<Policy> policy_of(const std::optional<Policy>& asked, const Environment& environment);

}  // namespace kmux
