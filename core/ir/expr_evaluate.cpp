#include "kmux/expr.h"

#include "arithmetic.h"

namespace kmux {
namespace {

class Evaluator {
 public:
  explicit Evaluator(const Bindings& bindings) : bindings_(bindings) {}

  Result<std::int64_t> operator()(const Expr& expr) const {
    switch (expr.op()) {
      case ExprOp::kConstant:
        return expr.constant();
      case ExprOp::kSymbol:
        return look_up(expr);
      case ExprOp::kAnd:
      case ExprOp::kOr:
        return logic(expr);
      case ExprOp::kNot:
        return logical_not(expr);
      case ExprOp::kSelect:
        return select(expr);
      case ExprOp::kCast:
        return cast(expr);
      default:
        return binary(expr);
    }
  }

 private:
  static Error fault(const Expr& expr, const std::string& why) {
    return make_error(ErrorCode::kInvalidArgument, "cannot evaluate \"" + to_string(expr) + "\" (" + why +
                                                       "). Pass arguments for which it has a value.");
  }

  Result<std::int64_t> look_up(const Expr& expr) const {
    if (const auto value = bindings_(expr.name())) return *value;
    return make_error(ErrorCode::kInvalidArgument,
                      "\"" + expr.name() + "\" has no value here. Declare it as a symbol, let or integer scalar.");
  }

  Result<std::int64_t> logic(const Expr& expr) const {
    KMUX_ASSIGN(const std::int64_t left, (*this)(expr.operands()[0]));
    const bool decided = (left != 0) == (expr.op() == ExprOp::kOr);
    if (decided) return std::int64_t{left != 0};
    KMUX_ASSIGN(const std::int64_t right, (*this)(expr.operands()[1]));
    return std::int64_t{right != 0};
  }

  Result<std::int64_t> logical_not(const Expr& expr) const {
    KMUX_ASSIGN(const std::int64_t operand, (*this)(expr.operands()[0]));
    return std::int64_t{operand == 0};
  }

  Result<std::int64_t> select(const Expr& expr) const {
    KMUX_ASSIGN(const std::int64_t condition, (*this)(expr.operands()[0]));
    return (*this)(expr.operands()[condition != 0 ? 1 : 2]);
  }

  Result<std::int64_t> cast(const Expr& expr) const {
    KMUX_ASSIGN(const std::int64_t operand, (*this)(expr.operands()[0]));
    const Computed computed = convert(operand, expr.type());
    if (computed.fault != nullptr) return fault(expr, "the value " + std::to_string(operand) + " " + computed.fault);
    return computed.value;
  }

  Result<std::int64_t> binary(const Expr& expr) const {
    KMUX_ASSIGN(const std::int64_t left, (*this)(expr.operands()[0]));
    KMUX_ASSIGN(const std::int64_t right, (*this)(expr.operands()[1]));
    const Computed computed = compute(expr.op(), left, right);
    if (computed.fault != nullptr) return fault(expr, computed.fault);
    return computed.value;
  }

  const Bindings& bindings_;
};

}  // namespace

Result<std::int64_t> evaluate(const Expr& expr, const Bindings& bindings) { return Evaluator(bindings)(expr); }

}  // namespace kmux
