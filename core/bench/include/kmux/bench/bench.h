#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kmux/bench/bench_report.h"
#include "kmux/bench/binding.h"
#include "kmux/bench/comparison.h"
#include "kmux/bench/sampling.h"
#include "kmux/compile.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/runtime.h"

namespace kmux::bench {

/// A symbol or integer scalar with several values to measure.
struct Axis {
  std::string name;
  std::vector<std::int64_t> values;
};

/// The contestants, their arguments, and the method of measurement.
struct BenchOptions {
  /// Backends to compare; empty: all that support the program. "cpu:engine=host" is backend cpu with an option; ";"
  /// separates several options. "cpu#1" is backend cpu with variant 1 of the program. A backend may take part several
  /// times with different options and variants.
  std::vector<std::string> backends = {};
  std::string baseline = {};  // empty: the choice of `auto`
  std::string reference = {};  // empty: the host-memory backend if it takes part, else the baseline
  std::vector<Axis> axes = {};  // each combination is a contest
  /// The files of the programs, in their order. They distinguish programs of one name; without them numbers do.
  std::vector<std::string> files = {};
  std::vector<std::string> inputs = {"*=random:1"};
  std::vector<std::string> constants = {};  // as for `ConstantValues`; required ones that are not given are random
  GivenValues values = {};
  std::optional<Tolerance> tolerance = {};  // of results; default: by dtype
  StopRule stop = {};
  int repetitions = 3;  // of compilation
  std::string command = {};  // the command line, for the report
  CompileOptions compile = {};
  /// Contests of an earlier run. One with the same program, point and options is not measured again; the others stay in
  /// the report, too.
  BenchReport earlier = {};
  /// Stops the run; the contest in progress is lost.
  std::stop_token cancel = {};
  /// Called after each measured contest with all results so far, so that the caller can save them.
  std::function<void(const BenchReport& so_far)> keep = {};
};

/// Called with the current activity and the completed fraction.
using BenchProgress = std::function<void(const std::string& what, double part)>;

/// Measures programs on their backends, against each other. Returns the report.
///
/// Errors: invalid_argument for invalid options, and for an earlier report of another machine or other compilers;
///         unavailable if a named baseline or reference does not take part, and if cancelled. Options are checked before
///         anything is measured. A failing backend is not an error: the report contains it.
Result<BenchReport> bench(Runtime& runtime, std::span<const Program> programs, const BenchOptions& options,
                          const BenchProgress& progress = {});

}  // namespace kmux::bench
