#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "problem.h"
#include "turns.h"

namespace kmux::bench::spmd {

/// The time of a problem on one processor, for each implementation.
struct Contest {
  Times ours;
  std::map<std::string, Times> native;  // by compiler
  std::optional<Times> pocl;

  /// Returns our speed over the better native one's.
  double over_native() const;
};

/// Checks the results of all implementations, then times them alternately; each problem once per process. Throws if a
/// result is wrong.
const Contest& contest(const Problem& problem, bool with_pocl = false);

/// Returns the least `over_native` of the problems.
double least_over_native(std::span<const Problem> problems);

}  // namespace kmux::bench::spmd
