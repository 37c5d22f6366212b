#include "plan/runner_number.h"

#include <array>
#include <limits>

#include <gtest/gtest.h>

namespace kmux {
namespace {

const Expr kX = Expr::symbol("x");

std::optional<std::size_t> position_of(std::string_view name) {
  return name == "x" ? std::optional<std::size_t>(0) : std::nullopt;
}

// Expects that the simple forms and the general one return the same values as `evaluate`.
void expect_same(const Expr& expr) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const RunnerNumber number = RunnerNumber::compile(expr, position_of).value();
  for (const std::int64_t x :
       {kMin, kMin + 1, std::int64_t{-129}, std::int64_t{-128}, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1},
        std::int64_t{127}, std::int64_t{128}, std::int64_t{129}, std::int64_t{1} << 40, kMax - 1, kMax}) {
    const std::array values = {x};
    const auto expected = evaluate(expr, [&](std::string_view) { return std::optional(x); });
    const ExprCode::Outcome actual = number.evaluate(values);
    ASSERT_EQ(actual.ok(), expected.ok()) << to_string(expr) << " of " << x;
    ASSERT_EQ(actual.value, expected ? *expected : 0) << to_string(expr) << " of " << x;
    std::int64_t value = 0;
    if (const auto linear = number.linear(); linear && linear->evaluate(x, value)) {
      ASSERT_TRUE(expected.ok()) << to_string(expr) << " of " << x;
      ASSERT_EQ(value, *expected) << to_string(expr) << " of " << x;
    }
  }
}

TEST(RunnerNumberTest, MatchesEvaluate) {
  for (const Expr& operand : {Expr(0), Expr(1), Expr(2), Expr(3), Expr(128), Expr(-1), Expr(std::int64_t{1} << 62)}) {
    expect_same(kX + operand);
    expect_same(operand + kX);
    expect_same(kX - operand);
    expect_same(kX * operand);
    expect_same(operand * kX);
    expect_same(ceildiv(kX, operand));
    expect_same(floordiv(kX, operand));
    expect_same(ceildiv(operand, kX));
    expect_same(ceildiv(kX, operand) * kX);
    expect_same(floordiv(kX + 127, operand));
    expect_same(floordiv(kX + -1, operand));
    expect_same(ceildiv(kX + 127, operand));
  }
  for (const DType type : {dtype::kInt8, dtype::kUInt8, dtype::kInt32, dtype::kUInt32, dtype::kInt64, dtype::kUInt64,
                           dtype::kBool, dtype::kFloat32}) {
    expect_same(Expr::cast(type, kX));
  }
  expect_same(kX);
  expect_same(42);
}

TEST(RunnerNumberTest, SimpleFormsAreLinear) {
  for (const Expr& expr : {kX, kX + 3, kX * 4, ceildiv(kX, 128), ceildiv(kX, 7), floordiv(kX + 1, 64), floordiv(kX, 7),
                           Expr::cast(dtype::kInt32, kX)}) {
    const auto linear = RunnerNumber::compile(expr, position_of).value().linear();
    ASSERT_TRUE(linear.has_value()) << to_string(expr);
    std::int64_t value = 0;
    const std::int64_t x = 1000;
    EXPECT_TRUE(linear->evaluate(x, value)) << to_string(expr);
  }
  EXPECT_FALSE(RunnerNumber::compile(kX * kX, position_of).value().linear().has_value());
  EXPECT_FALSE(RunnerNumber::compile(42, position_of).value().linear().has_value());
}

TEST(RunnerNumberTest, FoldsConstants) {
  const RunnerNumber number = RunnerNumber::compile(Expr(6) * 7, position_of).value();
  EXPECT_TRUE(number.is_constant());
  EXPECT_EQ(number.constant(), 42);
}

TEST(RunnerNumberTest, RejectsNameWithoutIndex) {
  EXPECT_FALSE(RunnerNumber::compile(Expr::symbol("y"), position_of));
  EXPECT_FALSE(RunnerNumber::compile(Expr::symbol("y") + 1, position_of));
}

}  // namespace
}  // namespace kmux
