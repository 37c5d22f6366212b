#include <algorithm>

#include "reader.h"

namespace kmux {
namespace {

const InfixOp* infix_of(const Expr& expr) {
  const auto found = std::ranges::find(kInfixOps, expr.op(), &InfixOp::op);
  return found == kInfixOps.end() ? nullptr : &*found;
}

// Returns true if parentheses are required, or if readers would need the precedence of bit or logic operators.
bool needs_parentheses(const InfixOp& inner, const InfixOp& outer, bool is_left) {
  if (inner.level == outer.level) return !is_left || inner.level == kComparisonLevel;
  const auto is_loose = [](const InfixOp& op) { return op.level > kComparisonLevel && op.level < kSumLevel; };
  const bool is_logic = outer.level < kNotLevel;
  return inner.level < outer.level || (is_logic ? inner.level < kNotLevel : is_loose(inner) || is_loose(outer));
}

class ExprText {
 public:
  explicit ExprText(const std::function<std::string(const std::string& name)>& named) : named_(named) {}

  std::string operator()(const Expr& expr) const {
    if (expr.is_constant()) return std::to_string(expr.constant());
    if (expr.is_symbol()) return named_ ? named_(expr.name()) : expr.name();
    if (const InfixOp* op = infix_of(expr)) {
      std::string left = operand(expr, *op, 0);
      return left + " " + std::string(to_string(op->op)) + " " + operand(expr, *op, 1);
    }
    if (expr.op() == ExprOp::kNot) return negation(expr.operands()[0]);
    return call(expr);
  }

 private:
  std::string negation(const Expr& inner) const {
    return infix_of(inner) == nullptr ? "not " + (*this)(inner) : "not (" + (*this)(inner) + ")";
  }

  std::string call(const Expr& expr) const {
    std::string text = expr.op() == ExprOp::kCast ? text_name(expr.type()) : std::string(to_string(expr.op()));
    for (const Expr& operand : expr.operands())
      text += (&operand == expr.operands().data() ? "(" : ", ") + (*this)(operand);
    return text + ")";
  }

  std::string operand(const Expr& parent, const InfixOp& outer, std::size_t index) const {
    const Expr& expr = parent.operands()[index];
    const InfixOp* inner = infix_of(expr);
    const bool is_negation = expr.op() == ExprOp::kNot && outer.level > kNotLevel;
    const bool in_parentheses = inner == nullptr ? is_negation : needs_parentheses(*inner, outer, index == 0);
    return in_parentheses ? "(" + (*this)(expr) + ")" : (*this)(expr);
  }

  const std::function<std::string(const std::string& name)>& named_;
};

}  // namespace

std::string expr_text(const Expr& expr, const std::function<std::string(const std::string& name)>& named) {
  return ExprText(named)(expr);
}

}  // namespace kmux
