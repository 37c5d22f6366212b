#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kmux/plugin/plan.h"

namespace kmux {

/// The memory that a fill sets, and its size; no size for memory at a bare pointer.
///
/// Units: bytes.
struct FillTarget {
  std::string name;
  const char* kind = "buffer";  // for messages
  std::optional<Expr> bytes;
};

/// Returns the condition for setting `bytes` bytes at `offset` of `target`: neither is negative, and the end lies in
/// the target. Returns nothing if that provably always holds. Its names are those of the three expressions.
std::optional<PlanAssert> fill_bounds(const FillTarget& target, const Expr& offset, const Expr& bytes);

/// The maximum extent of a launch, in blocks or threads: it must fit an int32, as in the interfaces of all backends.
inline constexpr std::int64_t kMaxExtent = 2147483647;

}  // namespace kmux
