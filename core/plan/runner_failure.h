#pragma once

#include <span>
#include <string>

#include "ir/arithmetic.h"
#include "runner_code.h"

namespace kmux {

inline constexpr Fault kOutOfRange = "the value is out of range";

/// Each writes why a launch fails, in the words of printed launchers, and returns the code of the error.
int fail_value(kmux_sink error, const std::string& what, Fault fault);
int fail_assert(kmux_sink error, const RunnerAssert& check, std::span<const std::int64_t> values);
/// `code` is the allocator's.
int fail_allocation(kmux_sink error, const RunnerWorkspace& workspace, unsigned long long bytes, int device, int code);

}  // namespace kmux
