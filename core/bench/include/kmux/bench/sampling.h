#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "kmux/bench/verdict.h"
#include "kmux/error.h"

namespace kmux::bench {

/// Takes one sample of a contestant. Units: any, the same for all; must be positive.
using Sample = std::function<Result<double>()>;

/// The rule that ends sampling.
struct StopRule {
  /// Initial rounds whose samples are discarded.
  std::size_t warm_up = 2;
  std::size_t fewest = 12;
  std::size_t most = 2000;
  /// Intervals at most this wide, relative to their medians, end sampling, whatever the verdicts.
  double relative_interval = 0.005;
  /// Decided verdicts end sampling only if the intervals are at most this wide: times are shown, too.
  double shown_interval = 0.05;
  /// Time limit: afterwards no round begins if there are the fewest; after five times as long not even then.
  std::chrono::nanoseconds time = std::chrono::seconds(2);
  VerdictRule verdict = {};
};

/// The reason for the end of sampling.
enum class Stop { kDecided, kNarrow, kTime, kRounds };
/// Returns a word for each.
std::string_view to_string(Stop stop);

/// The samples, and the reason for the end.
struct Sampling {
  /// Shapes: one series a contestant, all of the same length.
  std::vector<std::vector<double>> series;
  /// The number of interim looks at the series, an argument of `judge_pairs`.
  std::size_t looks = 1;
  Stop stop = Stop::kRounds;
};

/// Samples all contestants once a round, so that other activity of the machine affects all alike. Each round begins
/// with another contestant, and every second round is reversed: no contestant always follows the same one.
///
/// Sampling ends once every pair's verdict is decided (see verdict.h) and all intervals are narrow enough to show, or
/// once all are narrow; both are checked after 12, 18, 27, 40, ... rounds. The rule's limits end it, too. `now` is the
/// clock of the time limit only.
///
/// Errors: the first error of a contestant.
Result<Sampling> sample_in_rounds(const std::vector<Sample>& contestants, const StopRule& rule,
                                  const std::function<std::chrono::nanoseconds()>& now);

/// Returns the slowdown of the last third of a series against the first: 0.05 is 5 %, negative means faster.
///
/// All contestants share the rounds of a benchmark, so ratios stay valid while the machine drifts; times do not.
/// Returns: 0 for fewer than nine samples, and if the intervals of the two medians overlap: noise can explain the
/// difference.
double drift_of(std::span<const double> series);

/// Returns `drift_of` the geometric mean of several series of the same rounds, so that an effect in a single series is
/// weighted down.
///
/// Shapes: all as long as the first.
double common_drift(const std::vector<std::vector<double>>& series);

/// The smallest drift to report. Units: fractions.
inline constexpr double kDriftToTell = 0.03;

/// Times a fixed piece of arithmetic that depends only on the clock of the core. Units: seconds.
double time_reference_loop();

}  // namespace kmux::bench
