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

/// The result of measuring the candidates of a program.
struct KMUX_API Tuning {
  std::string shapes;  // the bucket: each extent by its power of two
  std::string device;  // model, architecture and driver
  bool is_cold = true;  // false: the backend cannot flush the L2 cache
  std::vector<TunedCandidate> candidates;  // in the order of their priority
  std::size_t winner = 0;  // index in `candidates`
  bool is_sure = true;  // false: another candidate may be faster by more than 2 %, and the time was up
  double time_s = 0;  // the time limit of the measurement
  bool from_cache = false;  // measured earlier

  /// Returns the candidate that won.
  const TunedCandidate& best() const { return candidates[winner]; }
  /// Returns "undecided after 2 s: cpu variant 2 (0.52 to 1.1 times its time) may be faster", or "" if the result is
  /// sure.
  std::string doubt() const;
  /// Returns a table for people, with the doubt.
  std::string explain() const;
  /// Returns the table for programs.
  Json to_json() const;
  bool operator==(const Tuning&) const = default;
};

/// The options of `Kernel::tune`.
struct TuneOptions {
  bool again = false;  // measures even if a measurement is cached
  double time_s = 2;  // the limit after 16 launches of each candidate; ends early once the winner is sure
};

/// Pins `program` to the winner of `tuning` in the lock file `file`, which is created if missing. Replaces the pin of
/// the same program and target, whatever shapes it was measured with. Policy "pinned" reads the file.
///
/// Returns: the replaced pin, if it had another backend, build or variant.
/// Errors: invalid_argument if the tuning is not sure; those of reading the file; unavailable if it cannot be written.
KMUX_API Result<std::optional<TunedCandidate>> pin(const std::string& file, const Program& program,
                                                   const Tuning& tuning);

}  // namespace kmux
