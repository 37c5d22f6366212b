#include "kmux/plugin/expr_code.h"

#include <array>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_expr.h"

namespace kmux {
namespace {

using kmux::test::RandomExpr;
using ::testing::HasSubstr;

constexpr auto kNames = RandomExpr::kNames;

std::optional<std::size_t> index_of(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return i;
  }
  return std::nullopt;
}

ExprCode::Outcome evaluate_code(const Expr& expr, std::span<const std::int64_t> values) {
  return ExprCode::compile(expr, index_of).value().evaluate(values);
}

Result<std::int64_t> evaluate_tree(const Expr& expr, std::span<const std::int64_t> values) {
  return evaluate(expr, [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto index = index_of(name);
    return index ? std::optional(values[*index]) : std::nullopt;
  });
}

TEST(ExprCodeTest, MatchesTreeEvaluation) {
  RandomExpr trees(1);
  int values_seen = 0;
  int faults_seen = 0;
  for (int i = 0; i < 20000; ++i) {
    const Expr expr = trees.expr(4);
    const std::array values{trees.number(), trees.number(), trees.number()};
    const auto tree = evaluate_tree(expr, values);
    const auto code = evaluate_code(expr, values);
    ASSERT_EQ(code.ok(), tree.ok()) << to_string(expr);
    if (tree) {
      ASSERT_EQ(code.value, *tree) << to_string(expr);
    }
    ++(tree ? values_seen : faults_seen);
  }
  EXPECT_GT(values_seen, 2000);
  EXPECT_GT(faults_seen, 2000);
}

TEST(ExprCodeTest, ShortCircuitsUnneededOperands) {
  const Expr n = Expr::symbol("n");
  const Expr broken = floordiv(1, n);
  const std::array<std::int64_t, 3> zero{0, 0, 0};
  EXPECT_EQ(evaluate_code(logical_and(n, broken), zero).value, 0);
  EXPECT_EQ(evaluate_code(logical_or(eq(n, 0), broken), zero).value, 1);
  EXPECT_EQ(evaluate_code(select(eq(n, 0), 5, broken), zero).value, 5);
  EXPECT_FALSE(evaluate_code(select(ne(n, 0), 5, broken), zero).ok());
}

TEST(ExprCodeTest, ReportsEvaluationFault) {
  const std::array<std::int64_t, 3> values{1, 0, std::numeric_limits<std::int64_t>::max()};
  EXPECT_THAT(evaluate_code(floordiv(Expr::symbol("m"), Expr::symbol("n")), values).fault, HasSubstr("zero"));
  EXPECT_THAT(evaluate_code(Expr::symbol("k") + Expr(1), values).fault, HasSubstr("64 bits"));
  EXPECT_THAT(evaluate_code(Expr::cast(dtype::kInt8, Expr::symbol("k")), values).fault, HasSubstr("fit"));
}

TEST(ExprCodeTest, RejectsUnknownNames) {
  const auto code = ExprCode::compile(Expr::symbol("x") + Expr(1), index_of);
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(code.error().message, HasSubstr("\"x\""));
}

TEST(ExprCodeTest, RejectsExpressionExceedingStackDepth) {
  Expr deep = Expr::symbol("m");
  for (int i = 0; i < 300; ++i) deep = Expr::symbol("n") + deep;
  const auto code = ExprCode::compile(deep, index_of);
  ASSERT_FALSE(code.ok());
  EXPECT_THAT(code.error().message, HasSubstr("nested deeper"));
  Expr wide = Expr::symbol("m");
  for (int i = 0; i < 300; ++i) wide = wide + Expr::symbol("n");
  const std::array<std::int64_t, 3> values{1, 2, 3};
  EXPECT_EQ(evaluate_code(wide, values).value, 601);
}

}  // namespace
}  // namespace kmux
