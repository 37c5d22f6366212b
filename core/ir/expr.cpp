#include "kmux/expr.h"

#include <algorithm>
#include <array>
#include <cassert>

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
  node_ = std::make_shared<const Node>(std::move(node));
}

Expr Expr::symbol(std::string name) {
  Node node;
  node.op = ExprOp::kSymbol;
  node.name = std::move(name);
  return Expr(std::make_shared<const Node>(std::move(node)));
}

Expr Expr::make(ExprOp op, std::vector<Expr> operands) {
  assert(operands.size() == static_cast<std::size_t>(arity(op)));
  Node node;
  node.op = op;
  node.operands = std::move(operands);
  return Expr(std::make_shared<const Node>(std::move(node)));
}

Expr Expr::cast(DType type, Expr operand) {
  Node node;
  node.op = ExprOp::kCast;
  node.type = type;
  node.operands.push_back(std::move(operand));
  return Expr(std::make_shared<const Node>(std::move(node)));
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

void visit(const Expr& expr, const std::function<void(const Expr&)>& visit_node) {
  visit_node(expr);
  for (const Expr& operand : expr.operands()) visit(operand, visit_node);
}

std::set<std::string> symbols_of(const Expr& expr) {
  std::set<std::string> names;
  visit(expr, [&](const Expr& node) {
    if (node.is_symbol()) names.insert(node.name());
  });
  return names;
}

}  // namespace kmux
