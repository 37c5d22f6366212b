#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kmux/plugin/plan.h"

namespace kmux {

/// The memory that a fill sets, and how many bytes it has; nothing of what is at a pointer.
///
/// Units: bytes.
struct FillTarget {
  std::string name;
  const char* kind = "buffer";  // for messages
  std::optional<Expr> bytes;
};

/// What must hold before `bytes` bytes at `offset` of `target` are set: neither is negative, and the end lies in the
/// target. Nothing if that can be seen to hold always. Names are those of the three expressions.
std::optional<PlanAssert> fill_bounds(const FillTarget& target, const Expr& offset, const Expr& bytes);

/// The most of a launch's extents, blocks or threads: what fits an int32, as the interfaces of all backends have it.
inline constexpr std::int64_t kMaxExtent = 2147483647;

}  // namespace kmux
