#include <gtest/gtest.h>

#include "kmux/expr.h"

#include "random_expr.h"

namespace kmux {
namespace {

using kmux::test::RandomExpr;

const Expr kSimpleM = Expr::symbol("m");
const Expr kSimpleN = Expr::symbol("n");

TEST(ExprSimplifyTest, PreservesValuesAndErrors) {
  RandomExpr random(2);
  int changed = 0;
  for (int i = 0; i < 20000; ++i) {
    const Expr expr = random.expr(4);
    const Expr simple = simplify(expr);
    const auto bindings = RandomExpr::bindings(random.values());
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

TEST(ExprSimplifyTest, FoldsConstantsAndNeutralElements) {
  EXPECT_EQ(simplify(Expr(2) * 3 + kSimpleM), Expr(6) + kSimpleM);
  EXPECT_EQ(simplify(kSimpleM * 1 + 0), kSimpleM);
  EXPECT_EQ(simplify(Expr(1) * kSimpleM - 0), kSimpleM);
  EXPECT_EQ(simplify(ceildiv(kSimpleM, 1)), kSimpleM);
  EXPECT_EQ(simplify(kSimpleM & -1), kSimpleM);
  EXPECT_EQ(simplify(min(kSimpleM, kSimpleM)), kSimpleM);
  EXPECT_EQ(simplify(select(Expr(2) > 1, kSimpleM, kSimpleN)), kSimpleM);
  EXPECT_EQ(simplify(logical_and(1, kSimpleM < kSimpleN)), kSimpleM < kSimpleN);
  EXPECT_EQ(simplify(logical_or(kSimpleM, 0)), ne(kSimpleM, 0));
  EXPECT_EQ(simplify(logical_and(0, floordiv(kSimpleM, 0))), Expr(0));
  EXPECT_EQ(simplify(Expr::cast(dtype::kInt64, kSimpleM)), kSimpleM);
}

TEST(ExprSimplifyTest, PreservesFaultingExpressions) {
  EXPECT_EQ(simplify(kSimpleM * 0), kSimpleM * 0);
  EXPECT_EQ(simplify(floordiv(1, 0)), floordiv(1, 0));
  EXPECT_EQ(simplify((kSimpleM + 1) - 1), (kSimpleM + 1) - 1);
}

TEST(ExprSubstituteTest, ReplacesBoundNames) {
  const auto bindings = [](std::string_view name) {
    return name == "m" ? std::optional<std::int64_t>(4) : std::nullopt;
  };
  EXPECT_EQ(substitute(Expr::cast(dtype::kInt32, kSimpleM) + kSimpleN, bindings),
            Expr::cast(dtype::kInt32, 4) + kSimpleN);
}

TEST(ExprLinearTest, ReadsLinearForms) {
  EXPECT_EQ(as_linear(kSimpleM), (Linear{"m", 1, 0}));
  EXPECT_EQ(as_linear(kSimpleM * 4), (Linear{"m", 4, 0}));
  EXPECT_EQ(as_linear(Expr(3) - kSimpleM * (Expr(2) * 2)), (Linear{"m", -4, 3}));
  EXPECT_EQ(as_linear((kSimpleM + 1) * 2 + kSimpleM), (Linear{"m", 3, 2}));
  EXPECT_EQ(as_linear(kSimpleM + kSimpleN - kSimpleN), std::nullopt);
}

TEST(ExprLinearTest, RejectsNonLinearForms) {
  for (const Expr& expr : {Expr(5), kSimpleM - kSimpleM, kSimpleM * kSimpleM, kSimpleM * kSimpleN, kSimpleM + kSimpleN,
                           floordiv(kSimpleM, 2), kSimpleM * 0, kSimpleM * Expr(std::int64_t{1} << 62) * 4}) {
    EXPECT_EQ(as_linear(expr), std::nullopt) << to_string(expr);
  }
}

}  // namespace
}  // namespace kmux
