#include "runner_number.h"

#include <bit>
#include <limits>

namespace kmux {
namespace {

constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();

bool commutes(ExprOp op) { return op == ExprOp::kAdd || op == ExprOp::kMul; }

}  // namespace

Result<RunnerNumber> RunnerNumber::compile(const Expr& expr, const ValueIndex& index) {
  const Expr simple = simplify(expr);
  RunnerNumber number;
  if (number.take_simple(simple, index)) return number;
  KMUX_ASSIGN(ExprCode code, ExprCode::compile(simple, index));
  number.code_ = std::make_unique<const ExprCode>(std::move(code));
  number.form_ = Form::kCode;
  return number;
}

// Takes `expr` if it has a simple form; else changes only members that the caller overwrites or ignores.
bool RunnerNumber::take_simple(const Expr& expr, const ValueIndex& index) {
  if (expr.is_constant()) return a_ = expr.constant(), true;
  if (expr.is_symbol()) return form_ = Form::kValue, take_value(expr, index);
  const std::vector<Expr>& operands = expr.operands();
  if (expr.op() == ExprOp::kCast) return take_value(operands[0], index) && take_cast(expr.type());
  if (operands.size() != 2) return false;
  if (commutes(expr.op()) && operands[0].is_constant()) {
    return take_value(operands[1], index) && take_binary(expr.op(), operands[0].constant());
  }
  if (!operands[1].is_constant()) return false;
  const bool may_be_sum = expr.op() == ExprOp::kFloorDiv;
  return (take_value(operands[0], index) || (may_be_sum && take_sum(operands[0], index))) &&
         take_binary(expr.op(), operands[1].constant());
}

bool RunnerNumber::take_value(const Expr& expr, const ValueIndex& index) {
  const std::optional<std::size_t> found = expr.is_symbol() ? index(expr.name()) : std::nullopt;
  index_ = static_cast<std::uint32_t>(found.value_or(0));
  return found.has_value();
}

// Takes "value + a".
bool RunnerNumber::take_sum(const Expr& expr, const ValueIndex& index) {
  if (expr.op() != ExprOp::kAdd || !expr.operands()[1].is_constant()) return false;
  a_ = expr.operands()[1].constant();
  return take_value(expr.operands()[0], index);
}

bool RunnerNumber::take_binary(ExprOp op, std::int64_t right) {
  const auto take = [&](Form form) { return form_ = form, a_ = right, true; };
  if (op == ExprOp::kAdd) return take(Form::kPlus);
  if (op == ExprOp::kMul) return take(Form::kTimes);
  if (op == ExprOp::kFloorDiv) return take_quotient(Form::kFloorDiv, Form::kFloorShift, right);
  return op == ExprOp::kCeilDiv && take_quotient(Form::kCeilDiv, Form::kCeilShift, right);
}

bool RunnerNumber::take_quotient(Form by_division, Form by_shift, std::int64_t divisor) {
  if (divisor <= 0) return false;
  const auto bits = static_cast<std::uint64_t>(divisor);
  form_ = std::has_single_bit(bits) ? by_shift : by_division;
  b_ = std::has_single_bit(bits) ? std::countr_zero(bits) : divisor;
  return true;
}

std::optional<LinearNumber> RunnerNumber::linear() const {
  LinearNumber number{.index = index_};
  switch (form_) {
    case Form::kConstant:
    case Form::kCode:
      return std::nullopt;
    case Form::kTimes:
      return number.times = a_, number;
    case Form::kFitted:
      return number.least = a_, number.most = b_, number;
    case Form::kFloorShift:
      return number.plus = a_, number.shift = static_cast<std::uint32_t>(b_), number;
    case Form::kFloorDiv:
      return number.plus = a_, number.divisor = b_, number;
    case Form::kCeilShift:
      return number.plus = (std::int64_t{1} << b_) - 1, number.shift = static_cast<std::uint32_t>(b_), number;
    case Form::kCeilDiv:
      return number.plus = b_ - 1, number.divisor = b_, number;
    default:
      return number.plus = a_, number;
  }
}

bool RunnerNumber::take_cast(DType type) {
  if (!is_integer(type) || type.lanes != 1) return false;
  const bool is_signed = type.code == kDLInt;
  const int value_bits = type.bits >= 64 ? 63 : type.bits - (is_signed ? 1 : 0);
  b_ = value_bits == 63 ? kMax64 : (std::int64_t{1} << value_bits) - 1;
  a_ = is_signed ? -b_ - 1 : 0;
  form_ = is_signed && type.bits >= 64 ? Form::kValue : Form::kFitted;
  return true;
}

namespace {

bool is_comparison(ExprOp op) { return op >= ExprOp::kEq && op <= ExprOp::kGe; }

}  // namespace

Result<RunnerCondition> RunnerCondition::compile(const Expr& expr, const ValueIndex& index) {
  RunnerCondition condition;
  std::optional<Expr> left;
  KMUX_TRY(condition.add(simplify(expr), index, left));
  return condition;
}

// An operand that is not a comparison is compared with 0 by kNe, the default right side and operator.
Status RunnerCondition::add(const Expr& expr, const ValueIndex& index, std::optional<Expr>& left) {
  const std::vector<Expr>& operands = expr.operands();
  if (expr.op() == ExprOp::kAnd) {
    KMUX_TRY(add(operands[0], index, left));
    return add(operands[1], index, left);
  }
  Comparison comparison;
  const bool has_sides = is_comparison(expr.op());
  const Expr& own_left = has_sides ? operands[0] : expr;
  comparison.has_same_left = left == own_left;
  left = own_left;
  KMUX_ASSIGN(comparison.left, RunnerNumber::compile(own_left, index));
  if (has_sides) {
    KMUX_ASSIGN(comparison.right, RunnerNumber::compile(operands[1], index));
    comparison.op = expr.op();
  }
  comparisons_.push_back(std::move(comparison));
  return Ok{};
}

}  // namespace kmux
