#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "kmux/bench/bench.h"
#include "kmux/bench/bench_report.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/runtime.h"

#include "contestant.h"

namespace kmux::bench {

/// Fills the columns of compiling and loading, or remarks why there are none: what is called may have come from a cache, on a
/// machine that cannot compile it.
void time_stages_of(Runtime& runtime, const Program& program, const BenchOptions& options, Entrant& entrant,
                    const Contestant& contestant);

using Clock = std::chrono::steady_clock;

inline double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

/// A runtime like another one, with the same plugins and their options, that has resolved no program yet. Its cache is in
/// folder `cache` and nowhere else; without one it is the other's.
Result<Shared<Runtime>> fresh_runtime(const Runtime& like, const std::optional<std::filesystem::path>& cache);

}  // namespace kmux::bench
