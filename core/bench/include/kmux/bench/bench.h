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

/// A symbol or integer scalar that takes several values.
struct Axis {
  std::string name;
  std::vector<std::int64_t> values;
};

/// What is compared, with which arguments, and how it is measured.
struct BenchOptions {
  /// Empty: all that take the program. "cpu:engine=host" is backend cpu with an option, ";" between several; a backend may
  /// take part several times with different options.
  std::vector<std::string> backends = {};
  std::string baseline = {};  // empty: what `auto` chooses
  std::string reference = {};  // empty: the backend of the host's memory if it takes part, else the baseline
  std::vector<Axis> axes = {};  // every combination is a contest
  std::vector<std::string> inputs = {"*=random:1"};
  std::vector<std::string> constants =
      {};  // as `ConstantValues` takes them; those that have to be set and are not are random
  GivenValues values = {};
  std::optional<Tolerance> tolerance = {};  // of results; default: by dtype
  StopRule stop = {};
  int repetitions = 3;  // of compiling
  CompileOptions compile = {};
  /// Of an earlier run: a contest of the same program, point and options stands for measuring it again; others stay in the
  /// report, too.
  BenchReport earlier = {};
  /// Ends the run where it is; the contest that is being measured is lost.
  std::stop_token cancel = {};
  /// Told after each contest that was measured what there is by then, so that it is not lost with what comes after it.
  std::function<void(const BenchReport& so_far)> keep = {};
};

/// Told what is being done, and which part of all is done.
using BenchProgress = std::function<void(const std::string& what, double part)>;

/// Measures programs on their backends, against each other.
///
/// Errors: invalid_argument for options that fit no program, and for an earlier report that was not measured here; unavailable
///         if a baseline or reference that was named does not take part, and if it is cancelled. All that can be known before
///         is checked before anything is measured. A backend that fails is not an error: the report has it.
Result<BenchReport> bench(Runtime& runtime, std::span<const Program> programs, const BenchOptions& options,
                          const BenchProgress& progress = {});

}  // namespace kmux::bench
