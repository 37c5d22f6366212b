#pragma once

#include <map>
#include <string>

#include "kmux/bench/bench.h"

namespace kmux::bench {

/// Equal for contests that would be measured alike at a point: SHA-256 of the program and of the options that matter.
std::string identity_of(const Program& program, const BenchOptions& options);

/// The contest of `earlier` that stands for measuring that program at that point, or null.
const Contest* find_measured(const BenchReport& earlier, const Program& program,
                             const std::map<std::string, std::int64_t>& point, const BenchOptions& options);

/// `report` and those contests of `earlier` that it has not: nothing that was measured is lost.
BenchReport with_rest(BenchReport report, const BenchReport& earlier);

/// Can what is measured now stand beside `earlier`?
///
/// Errors: invalid_argument that says what differs, for a report of another machine or of other compilers, and for one without
///         a contest that says how it was measured.
Status check_resumable(Runtime& runtime, const BenchReport& earlier, const Json& machine, const BenchOptions& options);

}  // namespace kmux::bench
