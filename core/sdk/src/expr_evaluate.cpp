#include <limits>

#include "kmux/expr.h"

namespace kmux {
namespace {

constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();

// Why an operation has no value; null means that it has one.
using Fault = const char*;
constexpr Fault kOverflow = "the value does not fit into 64 bits";
constexpr Fault kZero = "division by zero";
constexpr Fault kShiftCount = "a shift count outside 0..63";

struct Computed {
  std::int64_t value = 0;
  Fault fault = nullptr;
};

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

// The quotient; `toward` -1, 0 or 1 rounds down, towards zero or up.
Computed divide(std::int64_t a, std::int64_t b, int toward) {
  if (b == 0) return {0, kZero};
  if (a == kMin64 && b == -1) return {0, kOverflow};
  const bool inexact = a % b != 0;
  const bool negative = (a < 0) != (b < 0);
  return {a / b + (inexact && negative && toward < 0 ? -1 : 0) + (inexact && !negative && toward > 0 ? 1 : 0)};
}

Computed remainder(std::int64_t a, std::int64_t b, bool sign_of_divisor) {
  if (b == 0) return {0, kZero};
  if (b == -1) return {0};  // the machine's instruction faults on the smallest value
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

// Is `value` in the range of the integer type `type`?
bool fits(std::int64_t value, DType type) {
  const bool is_signed = type.code == kDLInt;
  if (type.bits >= 64) return is_signed || value >= 0;
  const std::int64_t top = std::int64_t{1} << (type.bits - (is_signed ? 1 : 0));
  return value < top && value >= (is_signed ? -top : 0);
}

class Evaluator {
 public:
  explicit Evaluator(const Bindings& bindings) : bindings_(bindings) {}

  Result<std::int64_t> operator()(const Expr& expr) const {
    switch (expr.op()) {
      case ExprOp::kConstant:
        return expr.constant();
      case ExprOp::kSymbol:
        return look_up(expr);
      case ExprOp::kAnd:
      case ExprOp::kOr:
        return logic(expr);
      case ExprOp::kNot:
        return logical_not(expr);
      case ExprOp::kSelect:
        return select(expr);
      case ExprOp::kCast:
        return cast(expr);
      default:
        return binary(expr);
    }
  }

 private:
  static Error fault(const Expr& expr, const std::string& why) {
    return make_error(ErrorCode::kInvalidArgument, "cannot evaluate \"" + to_string(expr) + "\" (" + why +
                                                       "). Pass arguments for which it has a value.");
  }

  Result<std::int64_t> look_up(const Expr& expr) const {
    if (const auto value = bindings_(expr.name())) return *value;
    return make_error(ErrorCode::kInvalidArgument,
                      "\"" + expr.name() + "\" has no value here. Declare it as a symbol, let or integer scalar.");
  }

  Result<std::int64_t> logic(const Expr& expr) const {
    KMUX_ASSIGN(const std::int64_t left, (*this)(expr.operands()[0]));
    const bool decided = (left != 0) == (expr.op() == ExprOp::kOr);
    if (decided) return std::int64_t{left != 0};
    KMUX_ASSIGN(const std::int64_t right, (*this)(expr.operands()[1]));
    return std::int64_t{right != 0};
  }

  Result<std::int64_t> logical_not(const Expr& expr) const {
    KMUX_ASSIGN(const std::int64_t operand, (*this)(expr.operands()[0]));
    return std::int64_t{operand == 0};
  }

  Result<std::int64_t> select(const Expr& expr) const {
    KMUX_ASSIGN(const std::int64_t condition, (*this)(expr.operands()[0]));
    return (*this)(expr.operands()[condition != 0 ? 1 : 2]);
  }

  Result<std::int64_t> cast(const Expr& expr) const {
    KMUX_ASSIGN(const std::int64_t operand, (*this)(expr.operands()[0]));
    if (expr.type() == dtype::kBool) return std::int64_t{operand != 0};
    if (!is_integer(expr.type()) || expr.type().lanes != 1) return fault(expr, "expressions are integers");
    if (fits(operand, expr.type())) return operand;
    return fault(expr, "the value " + std::to_string(operand) + " does not fit");
  }

  Result<std::int64_t> binary(const Expr& expr) const {
    KMUX_ASSIGN(const std::int64_t left, (*this)(expr.operands()[0]));
    KMUX_ASSIGN(const std::int64_t right, (*this)(expr.operands()[1]));
    const Computed computed = compute(expr.op(), left, right);
    if (computed.fault != nullptr) return fault(expr, computed.fault);
    return computed.value;
  }

  const Bindings& bindings_;
};

}  // namespace

Result<std::int64_t> evaluate(const Expr& expr, const Bindings& bindings) { return Evaluator(bindings)(expr); }

}  // namespace kmux
