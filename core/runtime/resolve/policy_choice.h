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

#include "inquiry.h"

namespace kmux {

/// Lets the policy choose among the candidates of `resolution`, where the one of the highest priority is chosen so far,
/// and fills in what is known of them.
void choose_by_policy(Runtime& runtime, const Inquiry& inquiry, const std::vector<const Manifest*>& manifests,
                      Resolution& resolution);

/// How one of the candidates that can is chosen; docs/auto.md has the rules.
enum class Policy : std::uint8_t { kPriority, kFastStart, kMeasured, kPinned };
std::string_view to_string(Policy policy);

/// The policy called `asked`, or the environment's if `asked` is empty.
///
/// Errors: invalid_argument that lists the policies.
Result<Policy> policy_of(const std::string& asked, const Environment& environment);

}  // namespace kmux
