#include "runner_condition.h"

namespace kmux {
namespace {

bool is_comparison(ExprOp op) { return op >= ExprOp::kEq && op <= ExprOp::kGe; }

}  // namespace

Result<RunnerCondition> RunnerCondition::compile(const Expr& expr, const ValueIndex& index) {
  RunnerCondition condition;
  std::optional<Expr> left;
  KMUX_TRY(condition.add(simplify(expr), index, left));
  return condition;
}

// What is no comparison holds if it is not 0: the right side of a comparison is that constant.
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
