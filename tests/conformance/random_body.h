#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "programs.h"

namespace kmux::conformance {

/// A random body over scalars n and m: launches that append a value to a log, fills of it, guards, loops, lets. It runs twice: as a
/// program, and here.
class RandomBody {
 public:
  struct Step {
    enum class Kind { kAppend, kGuard, kLoop, kFill } kind = Kind::kAppend;
    Expr value = Expr(0);  // appended; the condition of a guard; the end of a loop
    std::vector<Step> inside = {};
    std::vector<Step> otherwise = {};  // of a guard
  };

  /// Equal seeds give equal bodies, everywhere.
  static RandomBody of(std::uint32_t seed);

  /// As a program with one variant a dialect: scalars n and m, and log, int64[kLogged]: the count, then what was appended.
  Program program() const;
  /// The log that a call with these leaves; nothing where an expression has no value, or the log is too short.
  std::optional<std::vector<std::int64_t>> expected(std::int64_t n, std::int64_t m) const;

  /// Every body that has a step less, the simplest first: how a failing one is made small.
  std::vector<RandomBody> smaller() const;

  static constexpr std::int64_t kLogged = 64;

 private:
  std::vector<Step> steps_;
};

}  // namespace kmux::conformance
