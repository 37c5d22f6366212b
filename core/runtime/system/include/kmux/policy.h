#pragma once

#include <cstdint>
#include <string_view>

#include "kmux/error.h"
#include "kmux/export.h"

namespace kmux {

/// How one of the usable candidates is selected: the plugin of the highest priority; the first one ready, replaced by
/// the better one later; the fastest one by measurement; or the entry of the lock file. See docs/auto.md for the rules.
enum class Policy : std::uint8_t { kPriority, kFastStart, kMeasured, kPinned };
/// Returns "priority", "fast_start", "measured" or "pinned".
KMUX_API std::string_view to_string(Policy policy);
/// Returns the policy called `name`.
///
/// Errors: invalid_argument, with the valid names.
KMUX_API Result<Policy> policy_from_string(std::string_view name);

/// Where a backend resolves and compiles: in this process, or in a worker process. With a worker, a compiler crash or
/// hang is an error of that one compilation only.
enum class Isolation : std::uint8_t { kNone, kProcess };
/// Returns "none" or "process".
KMUX_API std::string_view to_string(Isolation isolation);
/// Returns the isolation called `name`.
///
/// Errors: invalid_argument, with the valid names.
KMUX_API Result<Isolation> isolation_from_string(std::string_view name);

}  // namespace kmux
