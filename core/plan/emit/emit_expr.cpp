#include "emit_expr.h"

#include <algorithm>
#include <limits>

#include "kmux/plugin/emit.h"

namespace kmux {
namespace {

constexpr std::string_view kFault = "kmux_fault";

bool is_logic(const Expr& expr) { return expr.op() == ExprOp::kAnd || expr.op() == ExprOp::kOr; }

bool is_comparison(const Expr& expr) { return expr.op() >= ExprOp::kEq && expr.op() <= ExprOp::kGe; }

// Is the printed text of type bool?
bool prints_bool(const Expr& expr) {
  const bool cast_to_bool = expr.op() == ExprOp::kCast && expr.type() == dtype::kBool;
  return is_comparison(expr) || is_logic(expr) || expr.op() == ExprOp::kNot || cast_to_bool;
}

bool is_shift_count(const Expr& expr) { return expr.is_constant() && expr.constant() >= 0 && expr.constant() <= 63; }

// The prelude's function for `op`, or nothing where C++ has an operator of the same meaning.
std::string_view function_of(ExprOp op) {
  switch (op) {
    case ExprOp::kAdd:
      return "kmux_add";
    case ExprOp::kSub:
      return "kmux_sub";
    case ExprOp::kMul:
      return "kmux_mul";
    case ExprOp::kFloorDiv:
      return "kmux_floordiv";
    case ExprOp::kFloorMod:
      return "kmux_floormod";
    case ExprOp::kTruncDiv:
      return "kmux_truncdiv";
    case ExprOp::kTruncMod:
      return "kmux_truncmod";
    case ExprOp::kCeilDiv:
      return "kmux_ceildiv";
    case ExprOp::kMin:
      return "kmux_min";
    case ExprOp::kMax:
      return "kmux_max";
    case ExprOp::kShl:
      return "kmux_shl";
    case ExprOp::kShr:
      return "kmux_shr";
    default:
      return {};
  }
}

std::string constant_text(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min())
    return "(-9223372036854775807LL - 1)";  // C++ has no such literal
  const bool is_int = value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
  return std::to_string(value) + (is_int ? "" : "LL");
}

// As an operand of a C++ operator: parentheses where precedence could be misread, and no arithmetic on bool.
std::string operand_text(const Expr& expr) {
  if (prints_bool(expr)) return "(long long)(" + print_cpp(expr) + ")";
  const bool is_simple = expr.operands().empty() || expr.op() == ExprOp::kSelect || expr.op() == ExprOp::kCast ||
                         !function_of(expr.op()).empty();
  return is_simple ? print_cpp(expr) : "(" + print_cpp(expr) + ")";
}

// As an operand of && and ||.
std::string condition_operand(const Expr& expr, ExprOp parent) {
  const std::string text = print_cpp_condition(expr);
  return is_logic(expr) && expr.op() != parent ? "(" + text + ")" : text;
}

std::string infix(const Expr& expr, std::string_view op) {
  return operand_text(expr.operands()[0]) + " " + std::string(op) + " " + operand_text(expr.operands()[1]);
}

std::string logic_text(const Expr& expr) {
  const std::string_view op = expr.op() == ExprOp::kAnd ? " && " : " || ";
  return condition_operand(expr.operands()[0], expr.op()) + std::string(op) +
         condition_operand(expr.operands()[1], expr.op());
}

std::string select_text(const Expr& expr) {
  return "(" + print_cpp_condition(expr.operands()[0]) + " ? " + operand_text(expr.operands()[1]) + " : " +
         operand_text(expr.operands()[2]) + ")";
}

std::string cast_text(const Expr& expr) {
  const DType type = expr.type();
  if (type == dtype::kBool) return print_cpp_condition(expr.operands()[0]);
  if (!is_integer(type) || type.lanes != 1) return "kmux_no_cast(" + print_cpp(expr.operands()[0]) + ", kmux_fault)";
  const bool is_signed = type.code == kDLInt;
  const int value_bits = std::min<int>(type.bits, 64) - (is_signed || type.bits >= 64 ? 1 : 0);
  const std::int64_t top = static_cast<std::int64_t>((std::uint64_t{1} << value_bits) - 1);
  return "kmux_cast(" + print_cpp(expr.operands()[0]) + ", " + constant_text(is_signed ? -top - 1 : 0) + ", " +
         constant_text(top) + ", " + std::string(kFault) + ")";
}

std::string call_text(const Expr& expr, std::string_view function) {
  const bool never_fails = expr.op() == ExprOp::kMin || expr.op() == ExprOp::kMax;
  return std::string(function) + "(" + print_cpp(expr.operands()[0]) + ", " + print_cpp(expr.operands()[1]) +
         (never_fails ? ")" : ", " + std::string(kFault) + ")");
}

bool node_can_fail(const Expr& expr) {
  switch (expr.op()) {
    case ExprOp::kAdd:
    case ExprOp::kSub:
    case ExprOp::kMul:
    case ExprOp::kShl:
      return true;
    case ExprOp::kShr:
      return !is_shift_count(expr.operands()[1]);
    case ExprOp::kFloorDiv:
    case ExprOp::kFloorMod:
    case ExprOp::kTruncDiv:
    case ExprOp::kTruncMod:
    case ExprOp::kCeilDiv: {
      const Expr& divisor = expr.operands()[1];
      return !divisor.is_constant() || divisor.is_constant(0) || divisor.is_constant(-1);
    }
    case ExprOp::kCast:
      return expr.type() != dtype::kBool && expr.type() != dtype::kInt64;
    default:
      return false;
  }
}

}  // namespace

bool can_fail(const Expr& expr) {
  bool found = false;
  visit(expr, [&](const Expr& node) { found = found || node_can_fail(node); });
  return found;
}

std::string print_cpp(const Expr& expr) {
  if (expr.is_constant()) return constant_text(expr.constant());
  if (expr.is_symbol()) return expr.name();
  if (const std::string_view function = function_of(expr.op()); !function.empty()) return call_text(expr, function);
  if (is_logic(expr)) return logic_text(expr);
  if (expr.op() == ExprOp::kSelect) return select_text(expr);
  if (expr.op() == ExprOp::kCast) return cast_text(expr);
  if (expr.op() == ExprOp::kNot) {
    const Expr& operand = expr.operands()[0];
    return prints_bool(operand) ? "!(" + print_cpp(operand) + ")" : operand_text(operand) + " == 0";
  }
  return infix(expr, to_string(expr.op()));
}

std::string print_cpp_condition(const Expr& expr) {
  return prints_bool(expr) ? print_cpp(expr) : operand_text(expr) + " != 0";
}

}  // namespace kmux
