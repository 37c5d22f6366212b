#include "kmux/expr_code.h"

#include <array>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using ::testing::HasSubstr;

constexpr std::array<std::string_view, 3> kNames{"m", "n", "k"};

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

// Random trees over every operator, and values near the edges of the arithmetic.
class Trees {
 public:
  explicit Trees(unsigned seed) : random_(seed) {}

  Expr expr(int depth) {
    if (depth == 0 || pick(6) == 0) return leaf();
    const auto op = static_cast<ExprOp>(2 + pick(static_cast<int>(ExprOp::kCast) - 1));
    if (op == ExprOp::kCast) return Expr::cast(type(), expr(depth - 1));
    std::vector<Expr> operands;
    for (int i = 0; i < arity(op); ++i) operands.push_back(expr(depth - 1));
    return Expr::make(op, std::move(operands));
  }

  std::int64_t number() {
    constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
    constexpr std::array<std::int64_t, 12> kNumbers{0, 1, -1, 2, -3, 7, 63, 64, 128, 1 << 20, kMin, ~kMin};
    return pick(3) == 0 ? pick(200) - 100 : kNumbers[static_cast<std::size_t>(pick(12))];
  }

 private:
  Expr leaf() {
    return pick(2) == 0 ? Expr(number()) : Expr::symbol(std::string(kNames[static_cast<std::size_t>(pick(3))]));
  }
  DType type() {
    constexpr std::array kTypes{dtype::kBool, dtype::kInt8, dtype::kUInt16, dtype::kInt32, dtype::kUInt64};
    return kTypes[static_cast<std::size_t>(pick(5))];
  }
  int pick(int count) { return std::uniform_int_distribution(0, count - 1)(random_); }
  std::mt19937 random_;
};

TEST(ExprCode, MeansWhatEvaluateMeans) {
  Trees trees(1);
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

TEST(ExprCode, EvaluatesOnlyWhatItNeeds) {
  const Expr n = Expr::symbol("n");
  const Expr broken = floordiv(1, n);
  const std::array<std::int64_t, 3> zero{0, 0, 0};
  EXPECT_EQ(evaluate_code(logical_and(n, broken), zero).value, 0);
  EXPECT_EQ(evaluate_code(logical_or(eq(n, 0), broken), zero).value, 1);
  EXPECT_EQ(evaluate_code(select(eq(n, 0), 5, broken), zero).value, 5);
  EXPECT_FALSE(evaluate_code(select(ne(n, 0), 5, broken), zero).ok());
}

TEST(ExprCode, SaysWhyThereIsNoValue) {
  const std::array<std::int64_t, 3> values{1, 0, std::numeric_limits<std::int64_t>::max()};
  EXPECT_THAT(evaluate_code(floordiv(Expr::symbol("m"), Expr::symbol("n")), values).fault, HasSubstr("zero"));
  EXPECT_THAT(evaluate_code(Expr::symbol("k") + Expr(1), values).fault, HasSubstr("64 bits"));
  EXPECT_THAT(evaluate_code(Expr::cast(dtype::kInt8, Expr::symbol("k")), values).fault, HasSubstr("fit"));
}

TEST(ExprCode, RefusesUnknownNames) {
  const auto code = ExprCode::compile(Expr::symbol("x") + Expr(1), index_of);
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(code.error().message, HasSubstr("\"x\""));
}

TEST(ExprCode, RefusesWhatItsStackCannotHold) {
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
