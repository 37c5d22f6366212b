#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dtype.h"
#include "kmux/error.h"
#include "kmux/function_ref.h"
#include "kmux/shared.h"

namespace kmux {

/// The operators of an expression. Comparisons and logic return 0 or 1; any non-zero value is true.
// clang-format off
enum class ExprOp : std::uint8_t {
  kConstant, kSymbol,
  kAdd, kSub, kMul,
  kFloorDiv, kFloorMod,  // round towards minus infinity; the remainder has the divisor's sign
  kTruncDiv, kTruncMod,  // round towards zero, as C does
  kCeilDiv,              // round towards plus infinity
  kMin, kMax,
  kShl, kShr,            // kShr is arithmetic; a count outside 0..63 is an error
  kBitAnd, kBitOr, kBitXor,
  kEq, kNe, kLt, kLe, kGt, kGe,
  kAnd, kOr, kNot,       // kAnd, kOr and kSelect do not evaluate operands that cannot affect the value
  kSelect,               // condition, value if true, value if false
  kCast,                 // to an integer dtype or bool; a value that does not fit is an error (to bool: non-zero -> 1)
};
// clang-format on

/// Returns the spelling of the operator in JSON ("+", "floordiv", "select", ...).
std::string_view to_string(ExprOp op);
/// Returns the operator of that spelling, or nothing.
std::optional<ExprOp> parse_expr_op(std::string_view text);

/// Returns the number of operands of `op`: 0, 1, 2 or 3.
int arity(ExprOp op);

/// A tree over 64-bit signed integers: a constant, a name, or an operator and its operands.
///
/// Threads: immutable, so any.   Lifetime: a cheap handle; subtrees are shared.
class Expr {
 public:
  /// A constant.
  Expr(std::int64_t value = 0);
  /// A constant.
  Expr(int value) : Expr(std::int64_t{value}) {}

  /// Makes a reference to a symbol, an integer scalar parameter, a let or a loop variable.
  static Expr symbol(std::string name);
  /// Makes an operator node; `operands.size()` must equal `arity(op)`.
  static Expr make(ExprOp op, std::vector<Expr> operands);
  /// Makes a cast of `operand` to `type`; evaluating a value that does not fit is an error.
  static Expr cast(DType type, Expr operand);

  /// Returns the kind of this node.
  ExprOp op() const { return node_->op; }
  std::int64_t constant() const { return node_->constant; }     // of kConstant
  const std::string& name() const { return node_->name; }       // of kSymbol
  DType type() const { return node_->type; }                    // of kCast
  /// Returns the operands of an operator.
  const std::vector<Expr>& operands() const { return node_->operands; }

  /// Returns true if the expression is a constant.
  bool is_constant() const { return op() == ExprOp::kConstant; }
  /// Returns true if the expression is a name.
  bool is_symbol() const { return op() == ExprOp::kSymbol; }
  /// Returns true if the expression is the constant `value`.
  bool is_constant(std::int64_t value) const { return is_constant() && constant() == value; }

  friend bool operator==(const Expr& a, const Expr& b);

 private:
  struct Node {
    ExprOp op = ExprOp::kConstant;
    std::int64_t constant = 0;
    std::string name;
    DType type;
    std::vector<Expr> operands;
  };
  explicit Expr(Shared<const Node> node) : node_(std::move(node)) {}
  Shared<const Node> node_;
};

/// Makes the operator of that name (ExprOp) over its operands.
/// @{
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr floordiv(Expr a, Expr b);
Expr floormod(Expr a, Expr b);
Expr truncdiv(Expr a, Expr b);
Expr truncmod(Expr a, Expr b);
Expr ceildiv(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
Expr operator<<(Expr a, Expr b);
Expr operator>>(Expr a, Expr b);
Expr operator&(Expr a, Expr b);
Expr operator|(Expr a, Expr b);
Expr operator^(Expr a, Expr b);
Expr eq(Expr a, Expr b);
Expr ne(Expr a, Expr b);
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator>(Expr a, Expr b);
Expr operator>=(Expr a, Expr b);
Expr logical_and(Expr a, Expr b);
Expr logical_or(Expr a, Expr b);
Expr logical_not(Expr a);
Expr select(Expr condition, Expr if_true, Expr if_false);
/// @}

/// Returns the value of a name, or nothing if the name is not bound.
using Bindings = FunctionRef<std::optional<std::int64_t>(std::string_view name)>;

/// Returns the value of `expr`.
///
/// Errors: invalid_argument for an unbound name, overflow, division by zero, a shift count outside 0..63, a cast that
/// does not fit; the message shows the offending subexpression.
Result<std::int64_t> evaluate(const Expr& expr, const Bindings& bindings);

/// Calls `visit` on each node, parents before children. Printers and checks share this traversal.
void visit(const Expr& expr, FunctionRef<void(const Expr&)> visit);

/// Returns every name that occurs in `expr`, once, in alphabetical order.
std::vector<std::string> symbols_of(const Expr& expr);

/// Returns `expr` with every name bound by `bindings` replaced by its value.
Expr substitute(const Expr& expr, const Bindings& bindings);

/// Returns `expr` with constant subexpressions folded and neutral elements removed. Never changes value or errors.
Expr simplify(const Expr& expr);

/// Returns infix text for people, fully parenthesised where precedence could be misread: "ceildiv(m, 128) * 4".
std::string to_string(const Expr& expr);

/// The linear form `coefficient * symbol + offset` in exactly one name, with a coefficient that is not 0.
struct Linear {
  std::string symbol;  // its name
  std::int64_t coefficient = 1;  // not 0
  std::int64_t offset = 0;  // the value if the symbol is 0
  bool operator==(const Linear&) const = default;
};
/// Returns `expr` in that form, or nothing if it is not linear in one name.
std::optional<Linear> as_linear(const Expr& expr);

}  // namespace kmux
