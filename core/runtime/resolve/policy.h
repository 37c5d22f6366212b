#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/environment.h"
#include "kmux/error.h"

namespace kmux {

/// How one of the candidates that can is chosen; docs/auto.md has the rules.
enum class Policy : std::uint8_t { kPriority, kFastStart, kMeasured, kPinned };
std::string_view to_string(Policy policy);

/// The policy called `asked`, or the environment's if `asked` is empty.
///
/// Errors: invalid_argument that lists the policies.
Result<Policy> policy_of(const std::string& asked, const Environment& environment);

}  // namespace kmux
