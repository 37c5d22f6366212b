#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kmux {

/// Is `challenger` faster than `incumbent`, sample by sample of the same rounds? The interval of the median of their
/// differences must lie above 1 % of the incumbent's median: less is not worth another backend. Never with so few
/// rounds that no interval is sure.
bool beats(std::span<const double> challenger, std::span<const double> incumbent);

/// The winner among candidates in the order of their priority: each later one must beat the best so far. A candidate
/// without samples takes no part.
///
/// Precondition: one candidate has samples.
std::size_t winner_of(const std::vector<std::vector<double>>& samples);

}  // namespace kmux
