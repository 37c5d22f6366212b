#pragma once

#include "bars/bar.h"

namespace kmux::bench {

/// Measures `bar` in separate processes and prints "bar NAME VALUE UNIT LIMIT held" (or "missed") at once: the next bar
/// may take long.
///
/// Returns: true if it is held, or cannot be measured here; then stderr has the reason.
/// Errors:  throws if a process fails.
bool measure_and_print(const Bar& bar);

/// Runs in such a process: prints the value of `bar`, or why it cannot be measured here. Returns the exit code.
int measure_once(const Bar& bar);

}  // namespace kmux::bench
