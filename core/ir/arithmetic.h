#pragma once

#include <cstdint>
#include <optional>

#include "kmux/dtype.h"
#include "kmux/expr.h"
#include "kmux/signature.h"

namespace kmux {

/// The reason why an operation has no value; null on success.
using Fault = const char*;

namespace fault {
inline constexpr Fault kOverflow = "the value does not fit into 64 bits";
inline constexpr Fault kZero = "division by zero";
inline constexpr Fault kShiftCount = "a shift count outside 0..63";
inline constexpr Fault kNoInteger = "cannot be cast (expressions are integers)";
inline constexpr Fault kNoFit = "does not fit";
}  // namespace fault

/// The value of an operation, or its fault.
struct Computed {
  std::int64_t value = 0;
  Fault fault = nullptr;
};

/// Returns `a op b`: the semantics of binary operators, shared by the evaluator and compiled expressions.
///
/// kAnd, kOr and kSelect are not included: they evaluate their operands lazily.
Computed compute(ExprOp op, std::int64_t a, std::int64_t b);

/// Returns `value` cast to `type`; a fault completes the sentence "the value V ...".
Computed convert(std::int64_t value, DType type);

/// Returns the bytes from the first element of `buffer` to the end of the last one, over the names in its shape and
/// strides. Returns nothing unless it has one stride per dimension. Negative strides are ignored: only memory after the
/// first element counts.
///
/// Units: bytes.
std::optional<Expr> span_bytes(const BufferParam& buffer);

}  // namespace kmux
