#include "fill_bounds.h"

#include <algorithm>
#include <vector>

namespace kmux {
namespace {

// An expression as a product: m * 4 * n is 4 and {m, n}.
class Product {
 public:
  explicit Product(const Expr& expr) { take(expr); }
  /// Returns true if this product has the factors of `whole` and a constant from 0 to that of `whole`. `whole` must not
  /// be negative.
  bool is_part_of(const Product& whole) const {
    const bool is_less = constant_ >= 0 && constant_ <= whole.constant_;
    return fits_ && whole.fits_ && is_less && std::ranges::is_permutation(factors_, whole.factors_);
  }

 private:
  void take(const Expr& expr) {
    if (expr.op() == ExprOp::kMul) {
      for (const Expr& operand : expr.operands()) take(operand);
    } else if (expr.is_constant()) {
      fits_ = !__builtin_mul_overflow(constant_, expr.constant(), &constant_) && fits_;
    } else {
      factors_.push_back(expr);
    }
  }
  bool fits_ = true;
  std::int64_t constant_ = 1;
  std::vector<Expr> factors_;
};

// Most fills set the whole target and need no check. The size of a target is never negative: tensor sizes are not, and
// a call refuses workspaces of negative size.
bool always_fits(const FillTarget& target, const Expr& offset, const Expr& bytes) {
  return offset.is_constant(0) && target.bytes && Product(bytes).is_part_of(Product(*target.bytes));
}

// The comparison with the size comes first, so that every number of the message has a value whichever part fails.
Expr condition_of(const FillTarget& target, const Expr& offset, const Expr& bytes) {
  const Expr in_range = target.bytes ? bytes <= simplify(*target.bytes - offset) : Expr(1);
  return simplify(logical_and(logical_and(in_range, bytes >= 0), offset >= 0));
}

}  // namespace

std::optional<PlanAssert> fill_bounds(const FillTarget& target, const Expr& offset, const Expr& bytes) {
  if (always_fits(target, offset, bytes)) return std::nullopt;
  PlanAssert bounds{condition_of(target, offset, bytes)};
  if (bounds.condition.is_constant() && !bounds.condition.is_constant(0)) return std::nullopt;
  const std::string kind = target.kind;
  bounds.what = "bounds of fill of \"" + target.name + "\"";
  bounds.message = "fill of \"" + target.name + "\" writes ";
  bounds.numbers = {{bytes, " bytes"}};
  if (!offset.is_constant(0)) bounds.numbers = {{bytes, " bytes at offset "}, {offset, ""}};
  if (!target.bytes) {
    bounds.numbers.back().text += " (sizes and offsets cannot be negative). Pass other arguments.";
    return bounds;
  }
  bounds.numbers.back().text += " (the " + kind + " has ";
  bounds.numbers.push_back({*target.bytes, "). Fill at most the " + kind + "."});
  return bounds;
}

}  // namespace kmux
