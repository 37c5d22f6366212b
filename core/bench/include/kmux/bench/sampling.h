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

/// Takes one sample of a contestant. Units: any, the same for all; positive.
using Sample = std::function<Result<double>()>;

/// When sampling ends.
struct StopRule {
  /// Rounds that do not count, at the beginning.
  std::size_t warm_up = 2;
  std::size_t fewest = 12;
  std::size_t most = 2000;
  /// Intervals as narrow as this, relative to their medians, are narrow enough, verdicts or not.
  double relative_interval = 0.005;
  /// Verdicts that are sure end it only with intervals as narrow as this: times are shown, too.
  double shown_interval = 0.05;
  /// After it no round begins, once there are the fewest; after five times as long not even then.
  std::chrono::nanoseconds time = std::chrono::seconds(2);
  VerdictRule verdict = {};
};

/// Why it ended.
enum class Stop { kDecided, kNarrow, kTime, kRounds };
/// A word for each.
std::string_view to_string(Stop stop);

/// What was measured, and why it ended.
struct Sampling {
  /// Shapes: one series a contestant, all of the same length.
  std::vector<std::vector<double>> series;
  /// How often the series were looked at, which `judge_pairs` needs.
  std::size_t looks = 1;
  Stop stop = Stop::kRounds;
};

/// Samples all contestants once a round, so that whatever else the machine does meets all of them alike. Each round begins
/// with another one, and every second goes backwards: none always follows the same.
///
/// It ends as soon as the verdict of every pair is sure (see verdict.h) and all intervals are fit to be shown, or narrow,
/// which is looked at after 12, 18, 27, 40, ... rounds; or by the rule's limits. `now` is the clock of the time limit alone.
///
/// Errors: the first of a contestant.
Result<Sampling> sample_in_rounds(const std::vector<Sample>& contestants, const StopRule& rule,
                                  const std::function<std::chrono::nanoseconds()>& now);

/// How much slower the last third of a series is than the first: 0.05 is 5 %, negative means faster.
///
/// The rounds of a benchmark meet all contestants alike, so that ratios hold while the machine drifts; times do not.
/// Returns: 0 for fewer than nine samples, and where the intervals of the two medians overlap: noise does as much.
double drift_of(std::span<const double> series);

/// `drift_of` several series of the same rounds together: of their geometric mean in each round. What one of them does by
/// itself counts for its part only.
///
/// Shapes: all as long as the first.
double common_drift(const std::vector<std::vector<double>>& series);

/// A drift worth reporting. Units: parts.
inline constexpr double kDriftToTell = 0.03;

/// A fixed piece of arithmetic, which depends on nothing but the clock of the core. Units: seconds.
double time_reference_loop();

}  // namespace kmux::bench
