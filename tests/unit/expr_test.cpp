#include "kmux/expr.h"

#include <gtest/gtest.h>

namespace kmux {
namespace {

const Expr kM = Expr::symbol("m");
const Expr kN = Expr::symbol("n");

TEST(ExprTest, ComparesByValue) {
  EXPECT_EQ(kM + 1, Expr::symbol("m") + Expr(1));
  EXPECT_FALSE(kM + 1 == kM + 2);
  EXPECT_FALSE(kM + kN == kM - kN);
  EXPECT_FALSE(kM == kN);
  EXPECT_FALSE(Expr::cast(dtype::kInt8, kM) == Expr::cast(dtype::kInt16, kM));
}

TEST(ExprTest, IsZeroByDefault) { EXPECT_TRUE(Expr().is_constant(0)); }

TEST(ExprTest, RoundTripsOperatorNames) {
  for (auto op = ExprOp::kAdd; op <= ExprOp::kCast; op = static_cast<ExprOp>(static_cast<int>(op) + 1)) {
    EXPECT_EQ(parse_expr_op(to_string(op)), op);
    EXPECT_GE(arity(op), 1);
  }
  EXPECT_EQ(arity(ExprOp::kConstant), 0);
  EXPECT_EQ(arity(ExprOp::kNot), 1);
  EXPECT_EQ(arity(ExprOp::kSelect), 3);
}

TEST(ExprTest, RejectsUnknownOperators) {
  for (const std::string_view text : {"", "constant", "symbol", "/", "%", "AND"}) {
    EXPECT_EQ(parse_expr_op(text), std::nullopt) << text;
  }
}

TEST(ExprTest, ListsSymbolsSorted) {
  EXPECT_EQ(symbols_of(select(kM < kN, kM + 1, Expr::cast(dtype::kInt32, Expr::symbol("k")))),
            (std::vector<std::string>{"k", "m", "n"}));
}

TEST(ExprTest, VisitsParentsFirst) {
  std::string order;
  visit((kM + 1) * kN, [&](const Expr& node) { order += to_string(node) + ";"; });
  EXPECT_EQ(order, "(m + 1) * n;m + 1;m;1;n;");
}

}  // namespace
}  // namespace kmux
