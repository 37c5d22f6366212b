#include "runner_condition.h"

namespace kmux {
namespace {

bool is_comparison(ExprOp op) { return op >= ExprOp::kEq && op <= ExprOp::kGe; }

}  // namespace

Result<RunnerCondition> RunnerCondition::compile(const Expr& expr, const ValueIndex& index) {
  RunnerCondition condition;
  KMUX_TRY(condition.add(simplify(expr), index));
  return condition;
}

// What is no comparison holds if it is not 0: the right side of a comparison is that constant.
Status RunnerCondition::add(const Expr& expr, const ValueIndex& index) {
  const std::vector<Expr>& operands = expr.operands();
  if (expr.op() == ExprOp::kAnd) {
    KMUX_TRY(add(operands[0], index));
    return add(operands[1], index);
  }
  Comparison comparison;
  const bool has_sides = is_comparison(expr.op());
  KMUX_ASSIGN(comparison.left, RunnerNumber::compile(has_sides ? operands[0] : expr, index));
  if (has_sides) {
    KMUX_ASSIGN(comparison.right, RunnerNumber::compile(operands[1], index));
    comparison.op = expr.op();
  }
  comparisons_.push_back(std::move(comparison));
  return Ok{};
}

}  // namespace kmux
