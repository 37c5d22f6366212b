#pragma once

#include <vector>

#include "runner_number.h"

namespace kmux {

/// A condition of a plan, ready to be computed: comparisons that must all hold, so that what most asserts are ("n > 0",
/// "bytes <= n * 4 and bytes >= 0") needs no stack machine.
///
/// Threads: immutable, so any.
class RunnerCondition {
 public:
  /// Errors: as `ExprCode::compile`.
  static Result<RunnerCondition> compile(const Expr& expr, const ValueIndex& index);

  /// 0 if it does not hold. Evaluates as much as `kmux::evaluate` would.
  ExprCode::Outcome evaluate(std::span<const std::int64_t> values) const noexcept {
    ExprCode::Outcome left;
    for (const Comparison& comparison : comparisons_) {
      if (!comparison.has_same_left) left = comparison.left.evaluate(values);
      if (!left.ok()) return left;
      const ExprCode::Outcome right = comparison.right.evaluate(values);
      if (!right.ok()) return right;
      if (!holds(comparison.op, left.value, right.value)) return {0, nullptr};
    }
    return {1, nullptr};
  }

 private:
  struct Comparison {
    RunnerNumber left;
    bool has_same_left = false;  // as the comparison before
    ExprOp op = ExprOp::kNe;  // kEq to kGe
    RunnerNumber right;
  };

  static bool holds(ExprOp op, std::int64_t left, std::int64_t right) noexcept {
    if (op == ExprOp::kEq) return left == right;
    if (op == ExprOp::kNe) return left != right;
    if (op == ExprOp::kLt) return left < right;
    if (op == ExprOp::kLe) return left <= right;
    return op == ExprOp::kGt ? left > right : left >= right;
  }

  // `left` is that of the comparison before.
  Status add(const Expr& expr, const ValueIndex& index, std::optional<Expr>& left);
  std::vector<Comparison> comparisons_;
};

}  // namespace kmux
