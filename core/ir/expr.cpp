#include "kmux/expr.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "kmux/guarded.h"

#include "arithmetic.h"

namespace kmux {
namespace {

struct Spelling {
  ExprOp op;
  std::string_view text;
  int arity;
};

// In the order of ExprOp. The first two have no spelling: JSON writes them as a number and a string.
constexpr std::array kSpellings = {
    Spelling{ExprOp::kConstant, "constant", 0},
    Spelling{ExprOp::kSymbol, "symbol", 0},
    Spelling{ExprOp::kAdd, "+", 2},
    Spelling{ExprOp::kSub, "-", 2},
    Spelling{ExprOp::kMul, "*", 2},
    Spelling{ExprOp::kFloorDiv, "floordiv", 2},
    Spelling{ExprOp::kFloorMod, "floormod", 2},
    Spelling{ExprOp::kTruncDiv, "truncdiv", 2},
    Spelling{ExprOp::kTruncMod, "truncmod", 2},
    Spelling{ExprOp::kCeilDiv, "ceildiv", 2},
    Spelling{ExprOp::kMin, "min", 2},
    Spelling{ExprOp::kMax, "max", 2},
    Spelling{ExprOp::kShl, "<<", 2},
    Spelling{ExprOp::kShr, ">>", 2},
    Spelling{ExprOp::kBitAnd, "&", 2},
    Spelling{ExprOp::kBitOr, "|", 2},
    Spelling{ExprOp::kBitXor, "^", 2},
    Spelling{ExprOp::kEq, "==", 2},
    Spelling{ExprOp::kNe, "!=", 2},
    Spelling{ExprOp::kLt, "<", 2},
    Spelling{ExprOp::kLe, "<=", 2},
    Spelling{ExprOp::kGt, ">", 2},
    Spelling{ExprOp::kGe, ">=", 2},
    Spelling{ExprOp::kAnd, "and", 2},
    Spelling{ExprOp::kOr, "or", 2},
    Spelling{ExprOp::kNot, "not", 1},
    Spelling{ExprOp::kSelect, "select", 3},
    Spelling{ExprOp::kCast, "cast", 1},
};

constexpr bool in_order_of_ops() {
  for (std::size_t i = 0; i < kSpellings.size(); ++i) {
    if (kSpellings[i].op != static_cast<ExprOp>(i)) return false;
  }
  return kSpellings.back().op == ExprOp::kCast;
}
static_assert(in_order_of_ops());

}  // namespace

std::string_view to_string(ExprOp op) { return kSpellings[static_cast<std::size_t>(op)].text; }

std::optional<ExprOp> parse_expr_op(std::string_view text) {
  const auto found = std::find_if(kSpellings.begin() + 2, kSpellings.end(),
                                  [&](const Spelling& spelling) { return spelling.text == text; });
  return found == kSpellings.end() ? std::nullopt : std::optional(found->op);
}

int arity(ExprOp op) { return kSpellings[static_cast<std::size_t>(op)].arity; }

Expr::Expr(std::int64_t value) {
  Node node;
  node.constant = value;
  node_ = Shared<const Node>::make(std::move(node));
}

Expr Expr::symbol(std::string name) {
  Node node;
  node.op = ExprOp::kSymbol;
  node.name = std::move(name);
  return Expr(Shared<const Node>::make(std::move(node)));
}

Expr Expr::make(ExprOp op, std::vector<Expr> operands) {
  assert(operands.size() == static_cast<std::size_t>(arity(op)));
  Node node;
  node.op = op;
  node.operands = std::move(operands);
  return Expr(Shared<const Node>::make(std::move(node)));
}

Expr Expr::cast(DType type, Expr operand) {
  Node node;
  node.op = ExprOp::kCast;
  node.type = type;
  node.operands.push_back(std::move(operand));
  return Expr(Shared<const Node>::make(std::move(node)));
}

bool operator==(const Expr& a, const Expr& b) {
  if (a.node_ == b.node_) return true;
  return a.op() == b.op() && a.constant() == b.constant() && a.name() == b.name() && a.type() == b.type() &&
         a.operands() == b.operands();
}

namespace {

Expr binary(ExprOp op, Expr a, Expr b) { return Expr::make(op, {std::move(a), std::move(b)}); }

}  // namespace

Expr operator+(Expr a, Expr b) { return binary(ExprOp::kAdd, std::move(a), std::move(b)); }
Expr operator-(Expr a, Expr b) { return binary(ExprOp::kSub, std::move(a), std::move(b)); }
Expr operator*(Expr a, Expr b) { return binary(ExprOp::kMul, std::move(a), std::move(b)); }
Expr floordiv(Expr a, Expr b) { return binary(ExprOp::kFloorDiv, std::move(a), std::move(b)); }
Expr floormod(Expr a, Expr b) { return binary(ExprOp::kFloorMod, std::move(a), std::move(b)); }
Expr truncdiv(Expr a, Expr b) { return binary(ExprOp::kTruncDiv, std::move(a), std::move(b)); }
Expr truncmod(Expr a, Expr b) { return binary(ExprOp::kTruncMod, std::move(a), std::move(b)); }
Expr ceildiv(Expr a, Expr b) { return binary(ExprOp::kCeilDiv, std::move(a), std::move(b)); }
Expr min(Expr a, Expr b) { return binary(ExprOp::kMin, std::move(a), std::move(b)); }
Expr max(Expr a, Expr b) { return binary(ExprOp::kMax, std::move(a), std::move(b)); }
Expr operator<<(Expr a, Expr b) { return binary(ExprOp::kShl, std::move(a), std::move(b)); }
Expr operator>>(Expr a, Expr b) { return binary(ExprOp::kShr, std::move(a), std::move(b)); }
Expr operator&(Expr a, Expr b) { return binary(ExprOp::kBitAnd, std::move(a), std::move(b)); }
Expr operator|(Expr a, Expr b) { return binary(ExprOp::kBitOr, std::move(a), std::move(b)); }
Expr operator^(Expr a, Expr b) { return binary(ExprOp::kBitXor, std::move(a), std::move(b)); }
Expr eq(Expr a, Expr b) { return binary(ExprOp::kEq, std::move(a), std::move(b)); }
Expr ne(Expr a, Expr b) { return binary(ExprOp::kNe, std::move(a), std::move(b)); }
Expr operator<(Expr a, Expr b) { return binary(ExprOp::kLt, std::move(a), std::move(b)); }
Expr operator<=(Expr a, Expr b) { return binary(ExprOp::kLe, std::move(a), std::move(b)); }
Expr operator>(Expr a, Expr b) { return binary(ExprOp::kGt, std::move(a), std::move(b)); }
Expr operator>=(Expr a, Expr b) { return binary(ExprOp::kGe, std::move(a), std::move(b)); }
Expr logical_and(Expr a, Expr b) { return binary(ExprOp::kAnd, std::move(a), std::move(b)); }
Expr logical_or(Expr a, Expr b) { return binary(ExprOp::kOr, std::move(a), std::move(b)); }
Expr logical_not(Expr a) { return Expr::make(ExprOp::kNot, {std::move(a)}); }
Expr select(Expr condition, Expr if_true, Expr if_false) {
  return Expr::make(ExprOp::kSelect, {std::move(condition), std::move(if_true), std::move(if_false)});
}

void visit(const Expr& expr, FunctionRef<void(const Expr&)> visit_node) {
  visit_node(expr);
  for (const Expr& operand : expr.operands()) visit(operand, visit_node);
}

std::vector<std::string> symbols_of(const Expr& expr) {
  std::vector<std::string> names;
  visit(expr, [&](const Expr& node) {
    if (node.is_symbol()) names.push_back(node.name());
  });
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

namespace {

// The precedence of an operator. kLoose operands are parenthesised, except `and` within `and`, and `or` within `or`.
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

Result<std::int64_t> evaluate(const Expr& expr, const Bindings& bindings) {
  return guarded([&] { return Evaluator(bindings)(expr); });
}

}  // namespace kmux
