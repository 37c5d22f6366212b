#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/resolver.h"

namespace kmux {

class Json;

/// One candidate of a measurement.
struct TunedCandidate {
  std::string backend;  // its name
  std::size_t variant = 0;  // index in Program::variants
  std::string target;    // canonical
  std::string build_id;  // of the plugin
  std::optional<Interval> run_us = {};  // nothing: it failed
  std::string problem = {};  // why it was not timed
  std::optional<Interval> ratio = {};  // its time over the winner's, where both were timed; nothing for the winner
  bool operator==(const TunedCandidate&) const = default;
};

/// What measuring the candidates of a program found.
struct KMUX_API Tuning {
  std::string shapes;  // the bucket: each extent by its power of two
  std::string device;  // model, architecture and driver
  bool is_cold = true;  // false: the backend cannot flush the L2 cache
  std::vector<TunedCandidate> candidates;  // in the order of their priority
  std::size_t winner = 0;  // index in `candidates`
  bool is_sure = true;  // false: another candidate may be faster by more than 2 %, and the time was up
  double time_s = 0;  // that the measurement could take
  bool from_cache = false;  // measured earlier

  /// The candidate that won.
  const TunedCandidate& best() const { return candidates[winner]; }
  /// "undecided after 2 s: cpu variant 2 (0.52 to 1.1 times its time) may be faster"; empty if it is sure.
  std::string doubt() const;
  /// A table for people, with the doubt.
  std::string explain() const;
  /// The table for programs.
  Json to_json() const;
  bool operator==(const Tuning&) const = default;
};

/// How `Kernel::tune` measures.
struct TuneOptions {
  bool again = false;  // measure although there is a measurement
  double time_s = 2;  // at most, once there are 16 launches of each candidate; it ends as soon as the winner is sure
};

/// Pins `program` to the winner of `tuning` in the lock file `file`, which is made if it is not there, in place of what
/// was pinned for the same program and target, whatever shapes that was measured in. Policy "pinned" reads it.
///
/// Returns: what it replaced, if that was another backend, build or variant.
/// Errors: invalid_argument if the tuning is not sure; those of reading the file; unavailable if it cannot be written.
KMUX_API Result<std::optional<TunedCandidate>> pin(const std::string& file, const Program& program,
                                                   const Tuning& tuning);

}  // namespace kmux
