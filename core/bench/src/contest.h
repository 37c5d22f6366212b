#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kmux/bench/bench.h"
#include "kmux/bench/bench_report.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/runtime.h"

#include "contestant.h"

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

// contest_stages.cpp

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

// remarks.cpp

/// The remarks on the columns of a contest, each once: "cpu, hip: no cache can be flushed".
std::vector<std::string> remarks_of(const Contest& contest);

/// What has drifted more than is worth telling of, the host's clock or a device's, and what that means; empty if nothing has.
std::string drift_text(const Contest& contest);

/// A verdict as tables show it.
struct VerdictCell {
  std::string word;  // "faster", "wrong", "baseline", ...; the class of a cell, too
  std::string text;  // "2.00x faster", or the word
  std::string detail = {};  // the interval of the ratio, or the problem
};

VerdictCell verdict_cell(const Judgement& judgement);
/// Of `entrant` in `column` against the contest's baseline; empty where there is nothing to say.
VerdictCell verdict_cell(const Contest& contest, const Entrant& entrant, Column column);

}  // namespace kmux::bench
