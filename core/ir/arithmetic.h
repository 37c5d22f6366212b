#pragma once

#include <cstdint>
#include <optional>

#include "kmux/dtype.h"
#include "kmux/expr.h"
#include "kmux/signature.h"

namespace kmux {

/// Why an operation has no value; null means that it has one.
using Fault = const char*;

namespace fault {
inline constexpr Fault kOverflow = "the value does not fit into 64 bits";
inline constexpr Fault kZero = "division by zero";
inline constexpr Fault kShiftCount = "a shift count outside 0..63";
inline constexpr Fault kNoInteger = "cannot be cast (expressions are integers)";
inline constexpr Fault kNoFit = "does not fit";
}  // namespace fault

/// The value of an operation, or why it has none.
struct Computed {
  std::int64_t value = 0;
  Fault fault = nullptr;
};

/// `a op b`: the one meaning of the operators of two operands, for the evaluator and for compiled expressions.
///
/// kAnd, kOr and kSelect are not here: they evaluate only what they need.
Computed compute(ExprOp op, std::int64_t a, std::int64_t b);

/// The cast of `value` to `type`; a fault completes the sentence "the value V ...".
Computed convert(std::int64_t value, DType type);

/// The bytes from the first element of `buffer` to the end of the last one, over the names in its shape and strides.
/// Nothing if it has not one stride a dimension. With negative strides, only what lies behind the first element counts.
///
/// Units: bytes.
std::optional<Expr> span_bytes(const BufferParam& buffer);

}  // namespace kmux
