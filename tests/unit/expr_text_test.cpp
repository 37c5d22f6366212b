#include <gtest/gtest.h>

#include "kmux/expr.h"

namespace kmux {
namespace {

TEST(ExprTextTest, ParenthesizesByPrecedence) {
  const Expr a = Expr::symbol("a");
  const Expr b = Expr::symbol("b");
  const Expr c = Expr::symbol("c");
  EXPECT_EQ(to_string(ceildiv(a, 128) * 4), "ceildiv(a, 128) * 4");
  EXPECT_EQ(to_string(a + b * c), "a + b * c");
  EXPECT_EQ(to_string((a + b) * c), "(a + b) * c");
  EXPECT_EQ(to_string(a - b - c), "a - b - c");
  EXPECT_EQ(to_string(a - (b - c)), "a - (b - c)");
  EXPECT_EQ(to_string(a * (b * c)), "a * (b * c)");
  EXPECT_EQ(to_string(a + b < c * 2), "a + b < c * 2");
  EXPECT_EQ(to_string((a < b) < c), "(a < b) < c");
  EXPECT_EQ(to_string((a << 2) + b), "(a << 2) + b");
  EXPECT_EQ(to_string((a + b) & c), "(a + b) & c");
  EXPECT_EQ(to_string(logical_and(a < b, logical_and(b < c, a))), "a < b and b < c and a");
  EXPECT_EQ(to_string(logical_or(logical_and(a, b), c)), "(a and b) or c");
  EXPECT_EQ(to_string(logical_not(a < b)), "not (a < b)");
  EXPECT_EQ(to_string(logical_not(a)), "not a");
  EXPECT_EQ(to_string(select(a < b, a, -1)), "select(a < b, a, -1)");
  EXPECT_EQ(to_string(Expr::cast(dtype::kInt32, a + b)), "int32(a + b)");
  EXPECT_EQ(to_string(min(a, max(b, floormod(c, 3)))), "min(a, max(b, floormod(c, 3)))");
}

}  // namespace
}  // namespace kmux
