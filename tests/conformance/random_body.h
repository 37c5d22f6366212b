#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "programs.h"

namespace kmux::conformance {

/// A random body over scalars n and m: launches that append a value to a log, fills of the log, guards, loops, lets. It
/// runs both as a program and in this class.
class RandomBody {
 public:
  struct Step {
    enum class Kind { kAppend, kGuard, kLoop, kFill } kind = Kind::kAppend;
    Expr value = Expr(0);  // appended value; condition of a guard; end of a loop
    std::vector<Step> inside = {};
    std::vector<Step> otherwise = {};  // of a guard: its else branch
  };

  /// Returns the body of a seed. Equal seeds return equal bodies on every machine.
  static RandomBody of(std::uint32_t seed);

  /// Returns the body as a program with one variant per dialect: scalars n and m, and log, int64[kLogged]: the count,
  /// then the appended values.
  Program program() const;
  /// Returns the log after a call with `n` and `m`; nothing if an expression has no value or the log is too short.
  std::optional<std::vector<std::int64_t>> expected(std::int64_t n, std::int64_t m) const;

  /// Returns every body with one step less, the simplest first, to reduce a failing body.
  std::vector<RandomBody> smaller() const;

  static constexpr std::int64_t kLogged = 64;

 private:
  std::vector<Step> steps_;
};

}  // namespace kmux::conformance
