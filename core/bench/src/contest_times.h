#pragma once

#include <stop_token>
#include <vector>

#include "kmux/bench/bench.h"
#include "kmux/bench/bench_report.h"
#include "kmux/error.h"

#include "contestant.h"

namespace kmux::bench {

/// When the memory of calls gets its first contents again.
enum class Refill {
  kOnce,  // before all samples: every call reads the same values
  kEachSample,  // a call changes what the next one reads: before each sample, and all samples have the same number of calls
};

/// Fills the columns of calls, in rounds of all contestants, with the verdicts on every pair. `progress` is told of the column
/// and which part of all four is done, between two rounds.
///
/// Errors: those of calls; unavailable if it is cancelled.
Status time_calls(Contest& contest, std::vector<Contestant>& contestants, const StopRule& rule, Refill refill,
                  const BenchProgress& progress, const std::stop_token& cancel);

}  // namespace kmux::bench
