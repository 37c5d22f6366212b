#include "kmux/expr.h"

namespace kmux {
namespace {

// How tightly an operator binds. kLoose operators are in parentheses wherever they are operands.
enum class Binding : std::uint8_t { kLoose, kComparison, kSum, kProduct, kAtom };

Binding binding_of(const Expr& expr) {
  switch (expr.op()) {
    case ExprOp::kMul:
      return Binding::kProduct;
    case ExprOp::kAdd:
    case ExprOp::kSub:
      return Binding::kSum;
    case ExprOp::kEq:
    case ExprOp::kNe:
    case ExprOp::kLt:
    case ExprOp::kLe:
    case ExprOp::kGt:
    case ExprOp::kGe:
      return Binding::kComparison;
    case ExprOp::kShl:
    case ExprOp::kShr:
    case ExprOp::kBitAnd:
    case ExprOp::kBitOr:
    case ExprOp::kBitXor:
    case ExprOp::kAnd:
    case ExprOp::kOr:
    case ExprOp::kNot:
      return Binding::kLoose;
    default:
      return Binding::kAtom;
  }
}

bool is_logic(ExprOp op) { return op == ExprOp::kAnd || op == ExprOp::kOr; }

bool needs_parentheses(const Expr& operand, const Expr& parent, bool is_left) {
  const Binding inner = binding_of(operand);
  const Binding outer = binding_of(parent);
  if (inner == Binding::kAtom) return false;
  if (is_logic(parent.op())) return inner == Binding::kLoose && operand.op() != parent.op();
  if (inner == Binding::kLoose || outer == Binding::kLoose) return true;
  if (inner == outer) return !is_left || inner == Binding::kComparison;
  return inner < outer;
}

std::string operand_text(const Expr& parent, std::size_t index) {
  const Expr& operand = parent.operands()[index];
  std::string text = to_string(operand);
  return needs_parentheses(operand, parent, index == 0) ? "(" + text + ")" : text;
}

std::string call(std::string_view name, const std::vector<Expr>& arguments) {
  std::string text = std::string(name) + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) text += (i == 0 ? "" : ", ") + to_string(arguments[i]);
  return text + ")";
}

}  // namespace

std::string to_string(const Expr& expr) {
  if (expr.is_constant()) return std::to_string(expr.constant());
  if (expr.is_symbol()) return expr.name();
  if (expr.op() == ExprOp::kNot) return "not " + operand_text(expr, 0);
  if (expr.op() == ExprOp::kCast) return call(to_string(expr.type()), expr.operands());
  if (binding_of(expr) == Binding::kAtom) return call(to_string(expr.op()), expr.operands());
  return operand_text(expr, 0) + " " + std::string(to_string(expr.op())) + " " + operand_text(expr, 1);
}

}  // namespace kmux
