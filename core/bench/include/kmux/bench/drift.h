#pragma once

#include <span>
#include <vector>

namespace kmux::bench {

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

/// A drift worth telling of. Units: parts.
inline constexpr double kDriftToTell = 0.03;

/// A fixed piece of arithmetic, which depends on nothing but the clock of the core. Units: seconds.
double time_reference_loop();

}  // namespace kmux::bench
