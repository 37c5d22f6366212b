#include <algorithm>

#include "kmux/expr.h"

namespace kmux {
namespace {

Expr with_operands(const Expr& expr, std::vector<Expr> operands) {
  if (expr.op() == ExprOp::kCast) return Expr::cast(expr.type(), std::move(operands[0]));
  return Expr::make(expr.op(), std::move(operands));
}

// Excludes x * 0 and x - x, whose simplification would hide an error of x.
bool is_neutral_right(ExprOp op, const Expr& right) {
  switch (op) {
    case ExprOp::kAdd:
    case ExprOp::kSub:
    case ExprOp::kShl:
    case ExprOp::kShr:
    case ExprOp::kBitOr:
    case ExprOp::kBitXor:
      return right.is_constant(0);
    case ExprOp::kMul:
    case ExprOp::kFloorDiv:
    case ExprOp::kTruncDiv:
    case ExprOp::kCeilDiv:
      return right.is_constant(1);
    case ExprOp::kBitAnd:
      return right.is_constant(-1);
    default:
      return false;
  }
}

bool is_neutral_left(ExprOp op, const Expr& left) {
  switch (op) {
    case ExprOp::kAdd:
    case ExprOp::kMul:
    case ExprOp::kBitOr:
    case ExprOp::kBitXor:
    case ExprOp::kBitAnd:
      return is_neutral_right(op, left);
    default:
      return false;
  }
}

// Returns true if the value is 0 or 1 for all operands.
bool is_boolean(const Expr& expr) {
  switch (expr.op()) {
    case ExprOp::kConstant:
      return expr.is_constant(0) || expr.is_constant(1);
    case ExprOp::kCast:
      return expr.type() == dtype::kBool;
    case ExprOp::kNot:
      return true;
    default:
      return expr.op() >= ExprOp::kEq && expr.op() <= ExprOp::kOr;
  }
}

Expr truth_of(const Expr& expr) { return is_boolean(expr) ? expr : ne(expr, 0); }

// Simplifies `and` and `or` with a constant left side or a neutral right side.
std::optional<Expr> simplify_logic(ExprOp op, const Expr& left, const Expr& right) {
  const bool is_or = op == ExprOp::kOr;
  if (left.is_constant()) return (left.constant() != 0) == is_or ? Expr(is_or ? 1 : 0) : truth_of(right);
  if (right.is_constant() && (right.constant() != 0) != is_or) return truth_of(left);
  return std::nullopt;
}

std::optional<Expr> simplify_binary(ExprOp op, const Expr& left, const Expr& right) {
  if (op == ExprOp::kAnd || op == ExprOp::kOr) return simplify_logic(op, left, right);
  if (is_neutral_right(op, right)) return left;
  if (is_neutral_left(op, left)) return right;
  if ((op == ExprOp::kMin || op == ExprOp::kMax) && left == right) return left;
  return std::nullopt;
}

std::optional<Expr> simplify_node(const Expr& expr) {
  const std::vector<Expr>& operands = expr.operands();
  if (expr.op() == ExprOp::kSelect && operands[0].is_constant()) return operands[operands[0].constant() != 0 ? 1 : 2];
  if (expr.op() == ExprOp::kCast && expr.type() == dtype::kInt64) return operands[0];
  if (operands.size() == 2) return simplify_binary(expr.op(), operands[0], operands[1]);
  return std::nullopt;
}

bool all_constant(const std::vector<Expr>& operands) {
  return std::all_of(operands.begin(), operands.end(), [](const Expr& operand) { return operand.is_constant(); });
}

}  // namespace

Expr substitute(const Expr& expr, const Bindings& bindings) {
  if (expr.is_symbol()) {
    const auto value = bindings(expr.name());
    return value ? Expr(*value) : expr;
  }
  if (expr.operands().empty()) return expr;
  std::vector<Expr> operands;
  operands.reserve(expr.operands().size());
  for (const Expr& operand : expr.operands()) operands.push_back(substitute(operand, bindings));
  return with_operands(expr, std::move(operands));
}

Expr simplify(const Expr& expr) {
  if (expr.operands().empty()) return expr;
  std::vector<Expr> operands;
  operands.reserve(expr.operands().size());
  for (const Expr& operand : expr.operands()) operands.push_back(simplify(operand));
  const Expr rebuilt = with_operands(expr, std::move(operands));
  if (all_constant(rebuilt.operands())) {
    // An expression that fails is kept, so that the error occurs when it is evaluated.
    const auto value = evaluate(rebuilt, [](std::string_view) { return std::nullopt; });
    if (value) return Expr(*value);
  }
  return simplify_node(rebuilt).value_or(rebuilt);
}

namespace {

// The terms of a linear form; a coefficient of 0 means a constant.
struct Terms {
  std::string symbol;
  std::int64_t coefficient = 0;
  std::int64_t offset = 0;
};

std::optional<Terms> scale(const Terms& terms, std::int64_t factor) {
  Terms out{terms.symbol, 0, 0};
  if (__builtin_mul_overflow(terms.coefficient, factor, &out.coefficient)) return std::nullopt;
  if (__builtin_mul_overflow(terms.offset, factor, &out.offset)) return std::nullopt;
  return out;
}

std::optional<Terms> add(const Terms& a, const Terms& b) {
  if (a.coefficient != 0 && b.coefficient != 0 && a.symbol != b.symbol) return std::nullopt;
  Terms out{a.coefficient != 0 ? a.symbol : b.symbol, 0, 0};
  if (__builtin_add_overflow(a.coefficient, b.coefficient, &out.coefficient)) return std::nullopt;
  if (__builtin_add_overflow(a.offset, b.offset, &out.offset)) return std::nullopt;
  return out;
}

std::optional<Terms> terms_of(const Expr& expr);

std::optional<Terms> terms_of_binary(const Expr& expr) {
  const auto left = terms_of(expr.operands()[0]);
  const auto right = terms_of(expr.operands()[1]);
  if (!left || !right) return std::nullopt;
  if (expr.op() == ExprOp::kAdd) return add(*left, *right);
  if (expr.op() == ExprOp::kSub) {
    const auto negated = scale(*right, -1);
    return negated ? add(*left, *negated) : std::nullopt;
  }
  if (left->coefficient == 0) return scale(*right, left->offset);
  return right->coefficient == 0 ? scale(*left, right->offset) : std::nullopt;
}

std::optional<Terms> terms_of(const Expr& expr) {
  switch (expr.op()) {
    case ExprOp::kConstant:
      return Terms{{}, 0, expr.constant()};
    case ExprOp::kSymbol:
      return Terms{expr.name(), 1, 0};
    case ExprOp::kAdd:
    case ExprOp::kSub:
    case ExprOp::kMul:
      return terms_of_binary(expr);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Linear> as_linear(const Expr& expr) {
  const auto terms = terms_of(simplify(expr));
  if (!terms || terms->coefficient == 0) return std::nullopt;
  return Linear{terms->symbol, terms->coefficient, terms->offset};
}

}  // namespace kmux
