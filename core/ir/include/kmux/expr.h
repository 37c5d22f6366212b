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

/// The operators of an expression. Comparisons and logic give 0 or 1; any non-zero value is true.
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
  kAnd, kOr, kNot,       // kAnd, kOr and kSelect evaluate only what they need
  kSelect,               // condition, value if true, value if false
  kCast,                 // to an integer dtype or bool; a value that does not fit is an error (to bool: non-zero -> 1)
};
// clang-format on

/// The operator as JSON spells it ("+", "floordiv", "select", ...).
std::string_view to_string(ExprOp op);
/// The operator of that spelling, or nothing.
std::optional<ExprOp> parse_expr_op(std::string_view text);

/// Operands that `op` takes: 0, 1, 2 or 3.
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

  /// A reference to a symbol, an integer scalar parameter, a let or a loop variable.
  static Expr symbol(std::string name);
  /// Precondition: `operands.size() == arity(op)`.
  static Expr make(ExprOp op, std::vector<Expr> operands);
  /// `operand` as `type`; a value that does not fit is an error.
  static Expr cast(DType type, Expr operand);

  /// What it is.
  ExprOp op() const { return node_->op; }
  std::int64_t constant() const { return node_->constant; }     // of kConstant
  const std::string& name() const { return node_->name; }       // of kSymbol
  DType type() const { return node_->type; }                    // of kCast
  /// The subtrees of an operator.
  const std::vector<Expr>& operands() const { return node_->operands; }

  /// Is it a constant?
  bool is_constant() const { return op() == ExprOp::kConstant; }
  /// Is it a name?
  bool is_symbol() const { return op() == ExprOp::kSymbol; }
  /// Is it this constant?
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

/// The operator of that name (ExprOp) over its operands.
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

/// The value of a name, or nothing if it is not bound.
using Bindings = FunctionRef<std::optional<std::int64_t>(std::string_view name)>;

/// The value of `expr`.
///
/// Errors: invalid_argument for an unbound name, overflow, division by zero, a shift count outside 0..63, a cast that
/// does not fit; the message shows the offending subexpression.
Result<std::int64_t> evaluate(const Expr& expr, const Bindings& bindings);

/// Calls `visit` on each node, parents before children. The one traversal that printers and checks share.
void visit(const Expr& expr, FunctionRef<void(const Expr&)> visit);

/// Every name that occurs in `expr`, once and in the order of the alphabet.
std::vector<std::string> symbols_of(const Expr& expr);

/// `expr` with every name that `bindings` has replaced by its value.
Expr substitute(const Expr& expr, const Bindings& bindings);

/// `expr` with its constant subexpressions evaluated and neutral elements removed; never changes value or errors.
Expr simplify(const Expr& expr);

/// Infix text for people, fully parenthesised where precedence could be misread: "ceildiv(m, 128) * 4".
std::string to_string(const Expr& expr);

/// `coefficient * symbol + offset`, if `expr` has that form in exactly one name and the coefficient is not 0.
struct Linear {
  std::string symbol;  // its name
  std::int64_t coefficient = 1;  // not 0
  std::int64_t offset = 0;  // the value where the symbol is 0
  bool operator==(const Linear&) const = default;
};
/// `expr` in that form, or nothing if it is not linear in one name.
std::optional<Linear> as_linear(const Expr& expr);

}  // namespace kmux
