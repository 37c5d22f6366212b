#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kmux/bench/bench.h"
#include "kmux/bench/bench_report.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/runtime.h"

namespace kmux::bench {

/// Do the options fit the program at that point of the axes? Nothing is compiled.
///
/// Errors: invalid_argument that names the program for an unknown or repeated symbol, scalar, input or backend, an extent
///         below 0, or a value that contradicts a file; unavailable for a baseline or reference that cannot run here; of
///         reading files.
Status check_contest(Runtime& runtime, const Program& program, const std::map<std::string, std::int64_t>& point,
                     const BenchOptions& options);

/// Measures one program at one point of the axes: compiles it on every backend, checks every result against the
/// reference's, and times those that are right.
///
/// Errors: as `bench`.
Result<Contest> hold_contest(Runtime& runtime, const Program& program, const std::map<std::string, std::int64_t>& point,
                             const BenchOptions& options, const BenchProgress& progress);

}  // namespace kmux::bench
