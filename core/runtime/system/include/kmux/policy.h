#pragma once

#include <cstdint>
#include <string_view>

#include "kmux/error.h"
#include "kmux/export.h"

namespace kmux {

/// Which of the candidates that can is taken: the plugin of the highest priority, the one that is ready first (the better one
/// follows), the one that was measured to be the fastest, or the one of the lock file. docs/auto.md has the rules.
enum class Policy : std::uint8_t { kPriority, kFastStart, kMeasured, kPinned };
/// "priority", "fast_start", "measured" or "pinned".
KMUX_API std::string_view to_string(Policy policy);
/// The policy of that name.
///
/// Errors: invalid_argument that lists the policies.
KMUX_API Result<Policy> policy_from_string(std::string_view name);

/// Where a backend resolves and compiles: in this process, or in one of its own, so that a compiler that crashes or hangs is an
/// error of one compile and no more.
enum class Isolation : std::uint8_t { kNone, kProcess };
/// "none" or "process".
KMUX_API std::string_view to_string(Isolation isolation);
/// The isolation of that name.
///
/// Errors: invalid_argument that lists them.
KMUX_API Result<Isolation> isolation_from_string(std::string_view name);

}  // namespace kmux
