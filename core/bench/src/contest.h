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

/// Checks that the options fit the program at that point of the axes. Compiles nothing.
///
/// Errors: invalid_argument that names the program for an unknown or repeated symbol, scalar, input or backend, an
///         extent below 0, or a value that contradicts a file; unavailable for a baseline or reference that cannot run
///         here; of reading files.
Status check_contest(Runtime& runtime, const Program& program, const std::map<std::string, std::int64_t>& point,
                     const BenchOptions& options);

/// Measures one program at one point of the axes: compiles it on every backend, checks all results against the
/// reference's, and times the correct backends.
///
/// Errors: as for `bench`.
Result<Contest> hold_contest(Runtime& runtime, const Program& program, const std::map<std::string, std::int64_t>& point,
                             const BenchOptions& options, const BenchProgress& progress);

// contest_stages.cpp

/// Fills the columns of compilation and loading, or adds a remark with the reason: the kernel may come from a cache, on
/// a machine that cannot compile it.
void time_stages_of(Runtime& runtime, const Program& program, const BenchOptions& options, Entrant& entrant,
                    const Contestant& contestant);

using Clock = std::chrono::steady_clock;

inline double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

/// Creates a runtime with the plugins of `like` and their options that has resolved no program yet. Its cache is only
/// in folder `cache`; without a folder it is the cache of `like`.
Result<Shared<Runtime>> fresh_runtime(const Runtime& like, const std::optional<std::filesystem::path>& cache);

// remarks.cpp

/// Returns the remarks on the columns of a contest, each once. Example: "cpu, hip: no cache can be flushed".
std::vector<std::string> remarks_of(const Contest& contest);

/// Returns a text about clocks, of the host or a device, that drifted enough to report, and the consequences; empty if
/// none.
std::string drift_text(const Contest& contest);

/// A verdict as displayed in tables.
struct VerdictCell {
  std::string word;  // "faster", "wrong", "baseline", ...; also the class of a cell
  std::string text;  // "2.00x faster", or the word
  std::string detail = {};  // the interval of the ratio, or the problem
};

VerdictCell verdict_cell(const Judgement& judgement);
/// Returns the cell of `entrant` in `column` against the contest's baseline; empty if it has no verdict.
VerdictCell verdict_cell(const Contest& contest, const Entrant& entrant, Column column);

}  // namespace kmux::bench
