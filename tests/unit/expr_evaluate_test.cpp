#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/expr.h"

#include "random_expr.h"

namespace kmux {
namespace {

using kmux::test::RandomExpr;
using ::testing::HasSubstr;

__extension__ using Wide = __int128;

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();

// Evaluates the operators by their mathematical definition, in a type that cannot overflow. Returns nothing if the
// value does not fit 64 bits.
class Reference {
 public:
  explicit Reference(Bindings bindings) : bindings_(bindings) {}

  std::optional<std::int64_t> operator()(const Expr& expr) const {
    const auto wide = value(expr);
    if (!wide || *wide < kLeast || *wide > kGreatest) return std::nullopt;
    return static_cast<std::int64_t>(*wide);
  }

 private:
  static Wide floor_quotient(Wide a, Wide b) { return (a - ((a % b + b) % b)) / b; }

  std::optional<Wide> value(const Expr& expr) const {
    if (expr.is_constant()) return expr.constant();
    if (expr.is_symbol()) return bindings_(expr.name());
    const auto a = (*this)(expr.operands()[0]);
    if (!a) return std::nullopt;
    switch (expr.op()) {
      case ExprOp::kNot:
        return *a == 0 ? 1 : 0;
      case ExprOp::kCast:
        return cast(*a, expr.type());
      case ExprOp::kSelect:
        return (*this)(expr.operands()[*a != 0 ? 1 : 2]);
      case ExprOp::kAnd:
        if (*a == 0) return 0;
        break;
      case ExprOp::kOr:
        if (*a != 0) return 1;
        break;
      default:
        break;
    }
    const auto b = (*this)(expr.operands()[1]);
    return b ? binary(expr.op(), *a, *b) : std::nullopt;
  }

  static std::optional<Wide> cast(Wide a, DType type) {
    if (type == dtype::kBool) return a != 0 ? 1 : 0;
    const Wide low = type.code == kDLUInt ? Wide{0} : -(Wide{1} << (type.bits - 1));
    const Wide high = (Wide{1} << (type.code == kDLUInt ? type.bits : type.bits - 1)) - 1;
    return a >= low && a <= high ? std::optional(a) : std::nullopt;
  }

  static std::optional<Wide> division(ExprOp op, Wide a, Wide b) {
    if (b == 0) return std::nullopt;
    switch (op) {
      case ExprOp::kFloorDiv:
        return floor_quotient(a, b);
      case ExprOp::kFloorMod:
        return a - b * floor_quotient(a, b);
      case ExprOp::kCeilDiv:
        return -floor_quotient(-a, b);
      case ExprOp::kTruncDiv:
        return a / b;
      default:
        return a % b;
    }
  }

  static std::optional<Wide> shift(ExprOp op, Wide a, Wide count) {
    if (count < 0 || count > 63) return std::nullopt;
    const Wide factor = Wide{1} << static_cast<int>(count);
    return op == ExprOp::kShl ? a * factor : floor_quotient(a, factor);
  }

  static std::optional<Wide> binary(ExprOp op, Wide a, Wide b) {
    switch (op) {
      case ExprOp::kAdd:
        return a + b;
      case ExprOp::kSub:
        return a - b;
      case ExprOp::kMul:
        return a * b;
      case ExprOp::kMin:
        return a < b ? a : b;
      case ExprOp::kMax:
        return a < b ? b : a;
      case ExprOp::kShl:
      case ExprOp::kShr:
        return shift(op, a, b);
      case ExprOp::kBitAnd:
        return a & b;
      case ExprOp::kBitOr:
        return a | b;
      case ExprOp::kBitXor:
        return a ^ b;
      case ExprOp::kEq:
        return a == b ? 1 : 0;
      case ExprOp::kNe:
        return a != b ? 1 : 0;
      case ExprOp::kLt:
        return a < b ? 1 : 0;
      case ExprOp::kLe:
        return a <= b ? 1 : 0;
      case ExprOp::kGt:
        return a > b ? 1 : 0;
      case ExprOp::kGe:
        return a >= b ? 1 : 0;
      case ExprOp::kAnd:
      case ExprOp::kOr:
        return b != 0 ? 1 : 0;
      default:
        return division(op, a, b);
    }
  }

  Bindings bindings_;
};

std::string with_values(const Expr& expr, const RandomExpr::Values& values) {
  return to_string(expr) + " at " + std::to_string(values[0]) + ", " + std::to_string(values[1]) + ", " +
         std::to_string(values[2]);
}

TEST(ExprEvaluateTest, MatchesOverflowFreeReference) {
  RandomExpr random(1);
  int defined = 0;
  int undefined = 0;
  for (int i = 0; i < 20000; ++i) {
    const Expr expr = random.expr(4);
    const auto values = random.values();
    const auto bindings = RandomExpr::bindings(values);
    const auto expected = Reference(bindings)(expr);
    const auto actual = evaluate(expr, bindings);
    ASSERT_EQ(actual.ok(), expected.has_value()) << with_values(expr, values);
    if (expected) {
      ASSERT_EQ(*actual, *expected) << with_values(expr, values);
    }
    ++(expected ? defined : undefined);
  }
  EXPECT_GT(defined, 4000);
  EXPECT_GT(undefined, 2000);
}

std::optional<std::int64_t> nothing_bound(std::string_view) { return std::nullopt; }

std::int64_t constant(const Expr& expr) { return evaluate(expr, nothing_bound).value(); }

TEST(ExprEvaluateTest, RoundsByOperator) {
  EXPECT_EQ(constant(floordiv(-7, 2)), -4);
  EXPECT_EQ(constant(floordiv(7, -2)), -4);
  EXPECT_EQ(constant(floormod(-7, 2)), 1);
  EXPECT_EQ(constant(floormod(7, -2)), -1);
  EXPECT_EQ(constant(truncdiv(-7, 2)), -3);
  EXPECT_EQ(constant(truncmod(-7, 2)), -1);
  EXPECT_EQ(constant(ceildiv(-7, 2)), -3);
  EXPECT_EQ(constant(ceildiv(7, 2)), 4);
  EXPECT_EQ(constant(Expr(-8) >> 1), -4);
}

struct Failing {
  Expr expr;
  std::string why;
};

TEST(ExprEvaluateTest, ReportsEvaluationError) {
  const Expr least(kLeast);
  const std::vector<Failing> cases = {
      {Expr(kGreatest) + 1, "64 bits"},
      {least - 1, "64 bits"},
      {least * -1, "64 bits"},
      {floordiv(least, -1), "64 bits"},
      {ceildiv(least, -1), "64 bits"},
      {truncdiv(least, -1), "64 bits"},
      {Expr(1) << 63, "64 bits"},
      {floordiv(1, 0), "division by zero"},
      {floormod(1, 0), "division by zero"},
      {truncmod(1, 0), "division by zero"},
      {Expr(1) << 64, "shift count"},
      {Expr(1) >> -1, "shift count"},
      {Expr::cast(dtype::kInt8, 128), "128 does not fit"},
      {Expr::cast(dtype::kUInt64, -1), "-1 does not fit"},
      {Expr::cast(dtype::kFloat32, 1), "float32(1)"},
      {Expr::symbol("x") + 1, "\"x\" has no value"},
  };
  for (const Failing& test : cases) {
    const auto result = evaluate(test.expr, nothing_bound);
    ASSERT_FALSE(result) << to_string(test.expr);
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(result.error().message, HasSubstr(test.why));
  }
}

TEST(ExprEvaluateTest, ReportsFailingSubexpression) {
  const auto result = evaluate(Expr(1) + floordiv(Expr(2) * 3, 0), nothing_bound);
  EXPECT_THAT(result.error().message, HasSubstr("\"floordiv(2 * 3, 0)\""));
}

TEST(ExprEvaluateTest, HandlesMinimumInt64WithoutOverflow) {
  EXPECT_EQ(constant(floormod(Expr(kLeast), -1)), 0);
  EXPECT_EQ(constant(truncmod(Expr(kLeast), -1)), 0);
  EXPECT_EQ(constant(Expr(-1) << 63), kLeast);
}

TEST(ExprEvaluateTest, ShortCircuitsUnneededOperands) {
  const Expr broken = floordiv(1, 0);
  EXPECT_EQ(constant(logical_and(0, broken)), 0);
  EXPECT_EQ(constant(logical_or(5, broken)), 1);
  EXPECT_EQ(constant(select(0, broken, 7)), 7);
  EXPECT_FALSE(evaluate(logical_and(1, broken), nothing_bound));
}

}  // namespace
}  // namespace kmux
