#include <gtest/gtest.h>

#include "kmux/expr.h"

#include "random_expr.h"

namespace kmux {
namespace {

using kmux::testing::RandomExpr;

const Expr kM = Expr::symbol("m");
const Expr kN = Expr::symbol("n");

TEST(ExprSimplify, KeepsValuesAndErrors) {
  RandomExpr random(2);
  int changed = 0;
  for (int i = 0; i < 20000; ++i) {
    const Expr expr = random.expr(4);
    const Expr simple = simplify(expr);
    const Bindings bindings = RandomExpr::bindings(random.values());
    const auto expected = evaluate(expr, bindings);
    const auto actual = evaluate(simple, bindings);
    ASSERT_EQ(actual.ok(), expected.ok()) << to_string(expr) << " -> " << to_string(simple);
    if (expected) {
      ASSERT_EQ(*actual, *expected) << to_string(expr) << " -> " << to_string(simple);
    }
    ASSERT_EQ(simplify(simple), simple) << to_string(simple);
    changed += expr == simple ? 0 : 1;
  }
  EXPECT_GT(changed, 5000);
}

TEST(ExprSimplify, FoldsConstantsAndNeutralElements) {
  EXPECT_EQ(simplify(Expr(2) * 3 + kM), Expr(6) + kM);
  EXPECT_EQ(simplify(kM * 1 + 0), kM);
  EXPECT_EQ(simplify(Expr(1) * kM - 0), kM);
  EXPECT_EQ(simplify(ceildiv(kM, 1)), kM);
  EXPECT_EQ(simplify(kM & -1), kM);
  EXPECT_EQ(simplify(min(kM, kM)), kM);
  EXPECT_EQ(simplify(select(Expr(2) > 1, kM, kN)), kM);
  EXPECT_EQ(simplify(logical_and(1, kM < kN)), kM < kN);
  EXPECT_EQ(simplify(logical_or(kM, 0)), ne(kM, 0));
  EXPECT_EQ(simplify(logical_and(0, floordiv(kM, 0))), Expr(0));
  EXPECT_EQ(simplify(Expr::cast(dtype::kInt64, kM)), kM);
}

TEST(ExprSimplify, KeepsWhatMayFail) {
  EXPECT_EQ(simplify(kM * 0), kM * 0);
  EXPECT_EQ(simplify(floordiv(1, 0)), floordiv(1, 0));
  EXPECT_EQ(simplify((kM + 1) - 1), (kM + 1) - 1);
}

TEST(ExprSubstitute, ReplacesBoundNames) {
  const auto bindings = [](std::string_view name) {
    return name == "m" ? std::optional<std::int64_t>(4) : std::nullopt;
  };
  EXPECT_EQ(substitute(Expr::cast(dtype::kInt32, kM) + kN, bindings), Expr::cast(dtype::kInt32, 4) + kN);
}

TEST(ExprLinear, ReadsLinearForms) {
  EXPECT_EQ(as_linear(kM), (Linear{"m", 1, 0}));
  EXPECT_EQ(as_linear(kM * 4), (Linear{"m", 4, 0}));
  EXPECT_EQ(as_linear(Expr(3) - kM * (Expr(2) * 2)), (Linear{"m", -4, 3}));
  EXPECT_EQ(as_linear((kM + 1) * 2 + kM), (Linear{"m", 3, 2}));
  EXPECT_EQ(as_linear(kM + kN - kN), std::nullopt);
}

TEST(ExprLinear, RefusesOtherForms) {
  for (const Expr& expr :
       {Expr(5), kM - kM, kM * kM, kM * kN, kM + kN, floordiv(kM, 2), kM * 0, kM * Expr(std::int64_t{1} << 62) * 4}) {
    EXPECT_EQ(as_linear(expr), std::nullopt) << to_string(expr);
  }
}

}  // namespace
}  // namespace kmux
