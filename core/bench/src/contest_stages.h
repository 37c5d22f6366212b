#pragma once

#include "kmux/bench/bench.h"
#include "kmux/bench/bench_report.h"
#include "kmux/dispatch.h"
#include "kmux/runtime.h"

#include "contestant.h"

namespace kmux::bench {

/// Fills the columns of compiling and loading, or remarks why there are none: what is called may have come from a cache, on a
/// machine that cannot compile it.
void time_stages_of(Runtime& runtime, const Program& program, const BenchOptions& options, Entrant& entrant,
                    const Contestant& contestant);

}  // namespace kmux::bench
