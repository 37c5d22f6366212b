#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "problem.h"
#include "turns.h"

namespace kmux::bench::spmd {

/// How long a problem takes on one processor, for each that solves it.
struct Contest {
  Times ours;
  std::map<std::string, Times> native;  // by compiler
  std::optional<Times> pocl;

  /// Our speed over the better native one's.
  double over_native() const;
};

/// Checks what all make of the problem, then times them in turns; the same problem once a process. Throws if one is wrong.
const Contest& contest(const Problem& problem, bool with_pocl = false);

/// The least `over_native` of some.
double least_over_native(std::span<const Problem> problems);

}  // namespace kmux::bench::spmd
