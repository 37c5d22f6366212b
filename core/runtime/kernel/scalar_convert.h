#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kmux/arg.h"
#include "kmux/dtype.h"

namespace kmux {

/// The bits of `arg` as a scalar of `type`, zero-extended; nothing if it is not a number or `type` cannot hold it.
///
/// Integers must fit; floating-point values are rounded to nearest even and never become integers; an integer becomes a
/// floating-point value only if that is exact; bits must be of exactly `type`. Allocates nothing.
std::optional<std::uint64_t> scalar_bits(const Arg& arg, DType type) noexcept;

/// The integer whose bits are `bits` in an integer type or bool; nothing for a uint64 above int64.
inline std::optional<std::int64_t> integer_of(std::uint64_t bits, DType type) {
  if (type.bits >= 64) {
    const bool fits = type.code == kDLInt || static_cast<std::int64_t>(bits) >= 0;
    return fits ? std::optional(static_cast<std::int64_t>(bits)) : std::nullopt;
  }
  if (type.code != kDLInt) return static_cast<std::int64_t>(bits);
  const int unused = 64 - type.bits;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

/// What `arg` is, for messages: "the integer 300", "float16[2, 3]", "a null tensor".
std::string describe(const Arg& arg);

}  // namespace kmux
