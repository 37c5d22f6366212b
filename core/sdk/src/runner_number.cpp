#include "runner_number.h"

#include <bit>
#include <limits>

namespace kmux {
namespace {

constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();

bool is_power_of_two(std::int64_t value) { return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value)); }

bool commutes(ExprOp op) { return op == ExprOp::kAdd || op == ExprOp::kMul; }

}  // namespace

Result<RunnerNumber> RunnerNumber::compile(const Expr& expr, const ValueIndex& index) {
  const Expr simple = simplify(expr);
  RunnerNumber number;
  if (number.take_simple(simple, index)) return number;
  KMUX_ASSIGN(number.code_, ExprCode::compile(simple, index));
  number.form_ = Form::kCode;
  return number;
}

// Takes `expr` if it is a constant, or one operation on one value; else changes nothing that matters.
bool RunnerNumber::take_simple(const Expr& expr, const ValueIndex& index) {
  if (expr.is_constant()) return a_ = expr.constant(), true;
  const auto value_of = [&](const Expr& operand) {
    const auto found = operand.is_symbol() ? index(operand.name()) : std::nullopt;
    index_ = found.value_or(0);
    return found.has_value();
  };
  const std::vector<Expr>& operands = expr.operands();
  if (expr.is_symbol()) return value_of(expr) && (form_ = Form::kValue, true);
  if (expr.op() == ExprOp::kCast) return value_of(operands[0]) && take_cast(expr.type());
  if (operands.size() != 2) return false;
  if (commutes(expr.op()) && operands[0].is_constant()) {
    return value_of(operands[1]) && take_binary(expr.op(), operands[0].constant());
  }
  return operands[1].is_constant() && value_of(operands[0]) && take_binary(expr.op(), operands[1].constant());
}

bool RunnerNumber::take_binary(ExprOp op, std::int64_t right) {
  const auto take = [&](Form form, std::int64_t operand) { return form_ = form, a_ = operand, true; };
  if (op == ExprOp::kAdd) return take(Form::kPlus, right);
  if (op == ExprOp::kMul) return take(Form::kTimes, right);
  if (!is_power_of_two(right)) return false;
  const int shift = std::countr_zero(static_cast<std::uint64_t>(right));
  if (op == ExprOp::kFloorDiv) return take(Form::kFloorShift, shift);
  return op == ExprOp::kCeilDiv && take(Form::kCeilShift, shift);
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

}  // namespace kmux
