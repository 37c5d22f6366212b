#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kmux/bench/bench_report.h"
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

struct BenchOptions {
  /// Empty: all that take the program. "cpu:engine=host" is backend cpu with an option, ";" between several; a backend may
  /// take part several times with different options.
  std::vector<std::string> backends = {};
  std::string baseline = {};  // empty: what `auto` chooses
  std::string reference = {};  // empty: the backend of the host's memory if it takes part, else the baseline
  std::vector<Axis> axes = {};  // every combination is a contest
  std::vector<std::string> inputs = {"*=random:1"};
  std::vector<std::string> symbols = {};
  std::vector<std::string> scalars = {};
  std::optional<Tolerance> tolerance = {};  // of results; default: by dtype
  StopRule stop = {};
  int repetitions = 3;  // of compiling
  CompileOptions compile = {};
};

/// Told what is being done, and which part of all is done.
using BenchProgress = std::function<void(const std::string& what, double part)>;

/// Measures programs on their backends, against each other.
///
/// Errors: invalid_argument for options that fit no program; unavailable if a baseline or reference that was named does not
///         take part. A backend that fails is no error: the report says so.
Result<BenchReport> bench(Runtime& runtime, std::span<const Program> programs, const BenchOptions& options,
                          const BenchProgress& progress = {});

}  // namespace kmux::bench
