#include "arithmetic.h"

#include <limits>

namespace kmux {
namespace {

constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();

using namespace fault;

Computed add(std::int64_t a, std::int64_t b) {
  Computed out;
  if (__builtin_add_overflow(a, b, &out.value)) out.fault = kOverflow;
  return out;
}

Computed subtract(std::int64_t a, std::int64_t b) {
  Computed out;
  if (__builtin_sub_overflow(a, b, &out.value)) out.fault = kOverflow;
  return out;
}

Computed multiply(std::int64_t a, std::int64_t b) {
  Computed out;
  if (__builtin_mul_overflow(a, b, &out.value)) out.fault = kOverflow;
  return out;
}

// Returns the quotient; `toward` -1, 0 or 1 rounds down, towards zero or up.
Computed divide(std::int64_t a, std::int64_t b, int toward) {
  if (b == 0) return {0, kZero};
  if (a == kMin64 && b == -1) return {0, kOverflow};
  const bool inexact = a % b != 0;
  const bool negative = (a < 0) != (b < 0);
  return {a / b + (inexact && negative && toward < 0 ? -1 : 0) + (inexact && !negative && toward > 0 ? 1 : 0)};
}

Computed remainder(std::int64_t a, std::int64_t b, bool sign_of_divisor) {
  if (b == 0) return {0, kZero};
  if (b == -1) return {0};  // the division instruction traps for the smallest value
  const std::int64_t truncated = a % b;
  const bool adjust = sign_of_divisor && truncated != 0 && (truncated < 0) != (b < 0);
  return {adjust ? truncated + b : truncated};
}

Computed shift_left(std::int64_t a, std::int64_t count) {
  if (count < 0 || count > 63) return {0, kShiftCount};
  const auto shifted = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << count);
  if ((shifted >> count) != a) return {0, kOverflow};
  return {shifted};
}

Computed shift_right(std::int64_t a, std::int64_t count) {
  if (count < 0 || count > 63) return {0, kShiftCount};
  return {a >> count};
}

// Returns true if `value` is in the range of the integer type `type`.
bool fits(std::int64_t value, DType type) {
  const bool is_signed = type.code == kDLInt;
  if (type.bits >= 64) return is_signed || value >= 0;
  const std::int64_t top = std::int64_t{1} << (type.bits - (is_signed ? 1 : 0));
  return value < top && value >= (is_signed ? -top : 0);
}

Expr dense_elements(const std::vector<Expr>& extents) {
  Expr product = 1;
  for (const Expr& extent : extents) product = product * extent;
  return product;
}

Expr any_is_zero(const std::vector<Expr>& extents) {
  Expr any = 0;
  for (const Expr& extent : extents) any = logical_or(any, eq(extent, 0));
  return any;
}

// Returns the distance between the first and last element of a dimension. The stride of an extent of 1 is arbitrary.
Expr reach(const Expr& extent, const Expr& stride) {
  const Expr forwards = stride.is_constant() ? stride : max(stride, 0);
  return extent.is_constant() ? (extent - 1) * forwards : select(extent > 1, (extent - 1) * forwards, 0);
}

Expr strided_elements(const std::vector<Expr>& extents, const std::vector<Expr>& strides) {
  Expr last = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (!extents[i].is_constant(1)) last = last + reach(extents[i], strides[i]);
  }
  return select(any_is_zero(extents), 0, last + 1);
}

}  // namespace

Computed compute(ExprOp op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case ExprOp::kAdd:
      return add(a, b);
    case ExprOp::kSub:
      return subtract(a, b);
    case ExprOp::kMul:
      return multiply(a, b);
    case ExprOp::kFloorDiv:
      return divide(a, b, -1);
    case ExprOp::kTruncDiv:
      return divide(a, b, 0);
    case ExprOp::kCeilDiv:
      return divide(a, b, 1);
    case ExprOp::kFloorMod:
      return remainder(a, b, true);
    case ExprOp::kTruncMod:
      return remainder(a, b, false);
    case ExprOp::kMin:
      return {a < b ? a : b};
    case ExprOp::kMax:
      return {a < b ? b : a};
    case ExprOp::kShl:
      return shift_left(a, b);
    case ExprOp::kShr:
      return shift_right(a, b);
    case ExprOp::kBitAnd:
      return {a & b};
    case ExprOp::kBitOr:
      return {a | b};
    case ExprOp::kBitXor:
      return {a ^ b};
    case ExprOp::kEq:
      return {a == b};
    case ExprOp::kNe:
      return {a != b};
    case ExprOp::kLt:
      return {a < b};
    case ExprOp::kLe:
      return {a <= b};
    case ExprOp::kGt:
      return {a > b};
    case ExprOp::kGe:
      return {a >= b};
    default:
      return {0, "not an operator of two operands"};
  }
}

Computed convert(std::int64_t value, DType type) {
  if (type == dtype::kBool) return {value != 0};
  if (!is_integer(type) || type.lanes != 1) return {0, kNoInteger};
  return fits(value, type) ? Computed{value} : Computed{0, kNoFit};
}

std::optional<Expr> span_bytes(const BufferParam& buffer) {
  if (buffer.strides && buffer.strides->size() != buffer.shape.size()) return std::nullopt;
  const Expr elements = buffer.strides ? strided_elements(buffer.shape, *buffer.strides) : dense_elements(buffer.shape);
  const std::int64_t bits = total_bits(buffer.dtype);
  if (bits % 8 == 0) return simplify(elements * (bits / 8));
  return simplify(bits > 0 && 8 % bits == 0 ? ceildiv(elements, 8 / bits) : ceildiv(elements * bits, 8));
}

}  // namespace kmux
