#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>

#include "kmux/arg.h"
#include "kmux/dtype.h"
#include "kmux/plugin/plugin.h"

namespace kmux {

/// Returns the bits of `arg` as a scalar of `type`, zero-extended; nothing if it is not a number or `type` cannot hold
/// it.
///
/// Integers must fit. Floating-point values are rounded to nearest even and never become integers. An integer becomes a
/// floating-point value only if that is exact. Bits must be of exactly `type`. Allocates nothing.
std::optional<std::uint64_t> scalar_bits(const Arg& arg, DType type) noexcept;

/// Returns true if `fill_usual_scalar` supports `type`: signed integers, float32 and float64.
inline bool is_usual_scalar(DType type) {
  return (type.code == kDLInt && type.lanes == 1) || type == dtype::kFloat32 || type == dtype::kFloat64;
}

/// Converts as `scalar_bits`, in a few instructions, for the most common scalars: an integer for an integer, or a
/// floating-point number for a floating-point number. If it returns false, `scalar_bits` must decide.
inline bool fill_usual_scalar(const Arg& arg, DType type, kmux_slot& slot) noexcept {
  if (arg.kind() == Arg::Kind::kInteger && type.code == kDLInt && type.lanes == 1) {
    const auto bits = static_cast<std::uint64_t>(arg.integer());
    const int unused = (64 - type.bits) & 63;
    slot.bits = bits << unused >> unused;
    return static_cast<std::int64_t>(bits << unused) >> unused == arg.integer();
  }
  if (arg.kind() != Arg::Kind::kFloat) return false;
  if (type == dtype::kFloat32)
    return slot.bits = std::bit_cast<std::uint32_t>(static_cast<float>(arg.floating())), true;
  if (type == dtype::kFloat64) return slot.bits = std::bit_cast<std::uint64_t>(arg.floating()), true;
  return false;
}

/// Returns the integer whose bits are `bits` in an integer type or bool; nothing for a uint64 above int64.
inline std::optional<std::int64_t> integer_of(std::uint64_t bits, DType type) {
  if (type.bits >= 64) {
    const bool fits = type.code == kDLInt || static_cast<std::int64_t>(bits) >= 0;
    return fits ? std::optional(static_cast<std::int64_t>(bits)) : std::nullopt;
  }
  if (type.code != kDLInt) return static_cast<std::int64_t>(bits);
  const int unused = 64 - type.bits;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

/// Returns a description of `arg` for messages: "the integer 300", "float16[2, 3]", "a null tensor".
std::string describe(const Arg& arg);

}  // namespace kmux
